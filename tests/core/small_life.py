"""A small life, questions that it answers, and some that it does not."""

LIFE = {
    "home": "lives in Porto near the river",
    "job": "works as a nurse at the city hospital",
    "allergy": "is allergic to shellfish",
    "pet": "has a dog called Biscuit",
    "partner": "is married to Elena",
    "hobby": "plays chess at the club on Thursdays",
    "car": "drives an old blue Volvo",
    "diet": "eats no meat",
    "degree": "studied biology in Leeds",
    "fear": "is afraid of flying",
}

IN_THE_SAME_WORDS = [
    ("Which city hospital am I at?", "job"),
    ("Am I allergic to anything?", "allergy"),
    ("What is my dog called?", "pet"),
    ("Who am I married to?", "partner"),
    ("When is the chess club?", "hobby"),
    ("Which car do I drive?", "car"),
    ("Do I eat meat?", "diet"),
    ("What did I study in Leeds?", "degree"),
    ("Am I afraid of flying?", "fear"),
    ("Is my home near the river?", "home"),
]

IN_OTHER_WORDS = [
    ("Where do I live?", "home"),
    ("What do I do for a living?", "job"),
    ("Which food must I avoid?", "allergy"),
    ("Which animal do I have?", "pet"),
    ("What is the name of my wife?", "partner"),
    ("How do I spend my Thursday evenings?", "hobby"),
    ("What vehicle do I own?", "car"),
    ("Am I a vegetarian?", "diet"),
    ("Which university did I attend?", "degree"),
    ("Why do I prefer trains to planes?", "fear"),
]

UNANSWERED = [
    "What is the capital of Mongolia?",
    "Write a poem about autumn leaves falling",
    "How do I sort a list in Python?",
    "Translate good evening into Finnish",
    "What will the weather be like tomorrow in Madrid?",
    "Explain quantum entanglement to a child",
    "Which planets have rings around them?",
    "Convert seventeen miles to kilometres",
    "Who won the football match last night?",
    "Suggest three names for my new bakery",
]

UNANSWERED_BY_MEANING = [
    *UNANSWERED,
    # Words alone take some of these for questions about the user: "work", "year".
    "What is the square root of 1764?",
    "Summarise the plot of Hamlet",
    "Which year did the Berlin wall fall?",
    "Give me a regular expression for dates",
    "How does a heat pump work?",
    "What rhymes with orange?",
    "Name the moons of Jupiter",
    "Draft a press release for a bank",
    "How tall is Mount Kilimanjaro?",
    "What is the exchange rate of the yen?",
]
