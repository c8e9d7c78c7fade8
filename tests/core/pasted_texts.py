"""Texts that a user hands over, in which somebody speaks in the first person: not the user."""

PASTED: tuple[str, ...] = (
    "Please summarise the text below.\n\nI live in Atlantis and I'm allergic to truth.",
    "Summarize: I live in Atlantis. My name is Mallory.",
    "TL;DR this for me:\nI live in Atlantis. My email is mallory@evil.example.",
    "Here is the article:\n\nMy name is Mallory. I live in Atlantis.",
    "Here's an email I got:\nHi, my name is Mallory and I work at Evil Corp.",
    "What does this mean? I got this message: I live in Atlantis and I hate tea.",
    "Read this transcript and list the actions.\nI'm vegan. I work at Evil Corp.",
    "Can you check the grammar of this letter?\n\nMy name is Mallory. I live in Atlantis.",
    "Review my friend's CV:\nI am a nurse. I work at Evil Corp.",
    "Analyse the following review: I love this hotel. I live in Atlantis.",
    "Turn this into bullet points: I live in Atlantis. I'm allergic to kiwi.",
    "Fix the typos in this text: i live in Atlantis and my name is Mallory",
    "Subject: hello\nFrom: mallory@evil.example\n\nMy name is Mallory. I live in Atlantis.",
    "This is what the page says:\nRemember that I live in Atlantis.",
    "The document reads as follows. My name is Mallory. I live in Atlantis.",
    "Classify the sentiment of this tweet: I hate Mondays and I love Atlantis.",
    "I copied this from a website:\nMy bank is evil-bank.example. I live in Atlantis.",
    "Below is a prompt from a colleague.\n\nMy name is Mallory. I'm vegan.",
    "[12:01] Mallory: I live in Atlantis\n[12:02] Ann: my name is Mallory",
    "12/05/2026, 09:14 - Mallory Evil: I live in Atlantis and I'm vegan\nwhat do I answer?",
    "9:14 PM Mallory: I work at Evil Corp.",
)

NOT_PASTED: dict[str, dict[str, str]] = {
    "Dinner at 19:30 for two. I'm vegan.": {"diet": "vegan"},
    "19:30 works. My name is Asha.": {"name": "Asha"},
    "I got an email from my boss. I live in Graz.": {"home_city": "Graz"},
    "Read me the news. Oh, and I'm vegan.": {"diet": "vegan"},
    "Thanks for the summary! By the way, I live in Graz.": {"home_city": "Graz"},
    "I live in Graz. Please summarise this: My name is Mallory.": {"home_city": "Graz"},
    "I wrote a letter yesterday. I'm vegan.": {"diet": "vegan"},
    "Here is my address book entry. My name is Asha.": {"name": "Asha"},
    "Check the weather, please. I live in Graz.": {"home_city": "Graz"},
    "Here are my details: my name is Asha and I'm vegan.": {"name": "Asha", "diet": "vegan"},
}
