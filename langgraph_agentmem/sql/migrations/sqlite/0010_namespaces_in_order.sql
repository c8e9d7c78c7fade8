-- Namespaces in the order of their labels: a path alone puts "a-b" before "a.b", though "a" comes
-- before "a-b". No label holds NUL, the first of all characters.
CREATE INDEX namespaces_in_order ON namespaces (replace(path, '.', char(0)));
