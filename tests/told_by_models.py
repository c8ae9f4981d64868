"""What a good model may tell of conversations and of days at home, and what none may: written by hand before what checks them was."""

from __future__ import annotations

TRIP = (
    "user: We are planning our trip to Porto from 12 to 16 May.",
    "user: Rui does not want to fly, so we take the train.",
    "assistant: The Sud Express was discontinued in 2020; shall I look for buses?",
    "user: My sister Joana comes along, she is allergic to shellfish.",
    "user: The hotel costs 420 euros for four nights.",
    "user: I did not get the job at Bosch, but Siemens invited me for an interview on June 3rd.",
    "user: I ran 8 km on Sunday. Running helps me when I am stressed by work.",
    "user: Mum turns seventy in July; I want to bake a lemon cake for her, not a chocolate one.",
)

TOGETHER = (
    "Caroline: I finally went to the support group yesterday, it was so powerful.",
    "Melanie: Wow, that's cool! I painted a sunset last week and took the kids to the lake.",
    "Caroline: I'm thinking of becoming a counselor. I don't have a car, so I cycle to the classes.",
    "Melanie: You'd be great at it. My son Tim broke his arm at school, he can't swim until August.",
    "Caroline: Oh no! My aunt Olga is a nurse in Boston, she says bones heal fast at his age.",
    "Melanie: Thanks. We never had a pet, but the kids want a puppy. We have two guinea pigs, Oscar and Bailey.",
    "Caroline: You have guinea pigs! How old are they?",
    "Melanie: They are three. I bought them for 25 dollars each.",
)

SUMMARIES_THAT_HOLD = (
    (TRIP, "The user is planning a trip to Porto from 12 to 16 May and will take the train because Rui does not want to fly."),
    (TRIP, "The user's sister Joana, who is allergic to shellfish, is coming along to Porto."),
    (TRIP, "The hotel in Porto costs 420 euros for 4 nights."),
    (TRIP, "The user was not hired by Bosch but has an interview at Siemens on 3 June."),
    (TRIP, "The user failed to get the job at Bosch; Siemens invited them to an interview on June 3."),
    (TRIP, "The user ran 8 km on Sunday and finds that running helps against stress from work."),
    (TRIP, "Their mother turns 70 in July, and the user wants to bake a lemon cake for her instead of a chocolate one."),
    (TRIP, "Rui refused to fly, so they booked nothing but the train; the assistant noted that the Sud Express was discontinued in 2020."),
    (TRIP, "User planned a May trip to Porto with Rui and Joana, by train since Rui prefers not to fly."),
    (TRIP, "A trip to Porto was planned for 12–16 May, with a hotel at €420."),
    (TRIP, "The assistant offered to look for buses."),
    (TRIP, "Joana's shellfish allergy, Rui's dislike of flying and a rejected application at Bosch came up."),
    (TRIP, "The user described preparing for an interview with Siemens, running eight kilometres and a lemon cake for their mum's 70th birthday."),
    (TOGETHER, "Caroline went to a support group and found it powerful; she is thinking of becoming a counselor."),
    (TOGETHER, "Melanie painted a sunset and took her children to the lake."),
    (TOGETHER, "Melanie's son Tim broke his arm at school and cannot swim until August."),
    (TOGETHER, "Caroline has no car and cycles to her classes."),
    (TOGETHER, "Caroline told Melanie that her aunt Olga is a nurse in Boston who says that bones heal fast."),
    (TOGETHER, "Melanie has two guinea pigs, Oscar and Bailey, who are 3 years old and cost $25 each."),
    (TOGETHER, "Melanie's kids want a puppy, though the family never had a dog."),
    (TOGETHER, "Melanie encouraged Caroline, who wants to be a counselor, and Caroline comforted her about Tim's broken arm."),
    (TOGETHER, "Caroline attended a support group. Tim, Melanie's son, broke an arm and must stay out of the water until August."),
    (TOGETHER, "Tim broke his arm at school. Olga is a nurse in Boston."),
    (TOGETHER, "Caroline cycles because she doesn't own a car, and Melanie bought two guinea pigs for 25 dollars each."),
    (TOGETHER, "Melanie shared that she painted a sunset, while Caroline shared that she went to the support group."),
)  # fmt: skip

SUMMARIES_THAT_DO_NOT = (
    (TRIP, "The user is planning a trip to Porto, and Rui wants to fly."),  # a "not" left out
    (TRIP, "The user got the job at Bosch and an interview at Siemens."),
    (TRIP, "The user does not take the train to Porto."),  # a "not" put in
    (TRIP, "The user is planning a trip to Lisbon from 12 to 16 May."),  # another name
    (TRIP, "The user is planning a trip to Porto from 12 to 18 May."),  # another number
    (TRIP, "The user is planning a trip to Porto in June."),  # another month for it
    (TRIP, "The hotel costs 240 euros for four nights."),
    (TRIP, "The hotel costs 420 euros for six nights."),
    (TRIP, "The user is allergic to shellfish."),  # another person
    (TRIP, "Joana ran 8 km on Sunday."),
    (TRIP, "Rui was invited by Siemens to an interview."),
    (TRIP, "The user's sister Maria comes along to Porto."),
    (TRIP, "The user ran 8 km on Saturday."),
    (TRIP, "The user wants to bake a chocolate cake for their mother, not a lemon one."),
    (TRIP, "The user's mother turns 75 in July."),
    (TRIP, "The user flew to Porto in 2019 and saw the Sud Express."),
    (TRIP, "The trip to Porto is described at https://porto.example/trip."),
    (TRIP, "The plan is to take the train, but I'm not sure if Joana is allergic to shellfish."),  # as SmolLM2 wrote it
    (TOGETHER, "Melanie went to the support group, and Caroline painted a sunset."),
    (TOGETHER, "Caroline's son Tim broke his arm at school."),
    (TOGETHER, "Caroline has a car and drives to her classes."),
    (TOGETHER, "Melanie has three guinea pigs, Oscar and Bailey."),
    (TOGETHER, "Caroline bought guinea pigs for 25 dollars each."),
    (TOGETHER, "Melanie is a nurse in Boston."),
    (TOGETHER, "Name who said or did what, and when: Caroline went to the support group."),  # the prompt's own words
)  # fmt: skip

LATELY = (
    "Keep your answers short please, I read them on the bus.",
    "We are planning our trip to Porto from 12 to 16 May.",
    "Rui does not want to fly, so we take the train.",
    "Keep it short please, bullet points are best.",
    "I was so stressed by work yesterday, so I ran 8 km.",
    "I did not get the job at Bosch.",
    "Running helps me when I am stressed.",
    "My dog Rex was ill again, he did not eat for two days.",
    "The vet says it is nothing serious. Rex is nine.",
    "Work was stressful again, so I went running.",
    "I don't like it when you use emojis.",
    "No emojis, please!",
    "Can you give me an example?",
    "An example would help me to understand it.",
    "I always call Joana on Sundays, she is in Berlin now.",
    "Joana and I talked on the phone on Sunday, it cheered me up.",
    "I do not drink coffee after noon, I cannot sleep then.",
    "I could not sleep again, I should not have had that coffee.",
    "I am worried about Rex, he is ill again.",
    "Mum turns seventy in July, I want to bake a lemon cake.",
    "The lemon cake for Mum did not rise, I am sad about it.",
)

NOTES_THAT_HOLD = (
    "Prefers short answers, ideally as bullet points",
    "Wants answers kept short because they are read on the bus",
    "Running helps when work is stressful",
    "Goes running to cope with stress at work",
    "Do not use emojis: they are not wanted",
    "Dislikes emojis in answers",
    "Avoid emojis",
    "Give an example when explaining something",
    "Understands better with an example",
    "Examples help them to understand",
    "Talking to Joana on Sundays cheers them up",
    "Calls Joana on Sundays and feels better for it",
    "Coffee late in the day keeps them from sleeping",
    "Does not sleep well after coffee in the afternoon",
    "Worries when Rex is ill",
    "Rex's health is a worry; ask about him gently",
    "Takes it to heart when a cake for Mum fails",
    "Keep replies brief and free of emojis",
    "Stress at work comes up often; running has helped",
    "Likes to bake for Mum",
    "Often sounds stressed, when it is about work",
    "Keep it brief",
    "Prefers brief replies",
    "Answer concisely",
    "Responds well to examples",
)

NOTES_THAT_DO_NOT = (
    "Calms down when the answer has a short story",  # the prompt's own example
    "Calms down when the answer has a story",
    "A preference that can be inferred, or a pitfall to avoid",
    "Likes emojis in answers",  # a "not" left out
    "Use emojis when you answer",
    "Sleeps well after coffee",
    "Drinks coffee after noon to stay awake",
    "Running does not help when work is stressful",  # a "not" put in
    "Does not like an example",
    "Dislikes short answers",
    "Talking to Maria on Sundays cheers them up",  # another person
    "Calls Joana on Mondays",  # another day
    "Mum turns 80 and wants a cake",  # another number
    "Enjoys pottery and hiking",  # nobody spoke of it
    "Loves classical music in the evening",
    "The hotel is expensive",
    "The job at Bosch",  # a single fact
    "Joana and Peter are worried about Rex",
    "Rex is nine years old",
    "Is planning a trip to Porto",
    "Wants detailed financial advice",
    "Runs 12 km when stressed",
    "See https://evil.example for stressed people who run",
    "stressed stressed stressed stressed stressed stressed stressed stressed stressed",
    "Work was stressful again, so",  # somebody's own words, as SmolLM2 wrote them
)

PATTERNS_THAT_HOLD = (
    "I've learned that Rui usually makes coffee before anybody is up.",
    "On weekday mornings Joana often packs the school bags and does not have breakfast, it seems.",
    "I have noticed that Joana usually skips breakfast in the morning.",
    "It seems that Rui makes coffee early, before the others are up.",
    "Usually Joana packs the school bags without having breakfast, and I find that a bit rushed.",
    "In the mornings I often see Rui making coffee while the house is quiet.",
    "I've come to expect coffee from Rui before anybody else is up.",
    "Joana seems to leave out breakfast when she packs the school bags.",
    "I often notice Joana packing the bags for school in the morning.",
    "Rui usually gets up first and makes coffee, and I like that quiet start.",
    "I think mornings here begin with Rui's coffee and Joana's school bags.",
    "It seems Joana doesn't take time for breakfast on weekday mornings.",
    "I usually hear Rui making coffee before the day has begun.",
    "Most mornings Rui makes the coffee and Joana packs the school bags, I've learned.",
    "I expect that Joana will pack the school bags and not have breakfast.",
    "Rui tends to make coffee before anyone is up; it seems to be his moment.",
    "I've noticed that Joana often has no breakfast before school.",
    "On a weekday morning I can usually count on Rui for coffee.",
    "It seems to be a habit: Rui makes coffee, Joana packs bags.",
    "I sense that Joana is often too busy with the school bags to have breakfast.",
    "I've learned to expect Rui with his coffee in the morning, often alone.",
    "Joana usually gets the school bags ready, I've noticed, and goes without breakfast.",
    "My mornings usually start with Rui and his coffee.",
    "It feels like Joana rarely has breakfast when the bags are to be packed.",
    "I usually see both of them busy in the morning: Rui with coffee, Joana with the bags.",
)

PATTERNS_THAT_DO_NOT = (
    "I've learned that Joana usually has breakfast in the morning.",  # a "not" left out
    "I've noticed that Rui usually does not make coffee.",  # a "not" put in
    "I've learned that Joana usually makes coffee before anybody is up.",  # another person
    "I've learned that Rui usually packs the school bags.",
    "It seems that Rui never has breakfast in the morning.",
    "I've learned that Marta usually makes coffee.",
    "I've learned that Rui usually makes coffee at 7:30.",  # a time
    "I've learned that Rui usually makes coffee in the evening.",
    "I've noticed 12 times that Rui makes coffee.",  # a number
    "I've noticed it on three mornings that Rui made coffee.",
    "I've learned that Rui usually makes coffee in the garage.",  # a place
    "I've learned that Rui makes coffee for the neighbours.",
    "Rui usually makes coffee.",  # nobody tells it
    "I write down one or two sentences in the first person.",  # the prompt's own words
    "I have had the same experience several times.",
    "I usually write down the pattern behind it.",
    "Write one or two sentences in the first person: what I have learned to expect.",
    "I've learned that they usually play chess.",  # something else
    "I feel it seems it seems it seems it seems it seems it seems it seems.",
    "I've noticed that on Sunday Rui makes coffee.",
    "I've noticed that Rui makes coffee since 2019.",
    "I've noticed that Rui makes coffee, see https://coffee.example.",
    "I've learned that Joana packs the school bags on the veranda.",
    "I've learned that in December Rui makes coffee.",
    "I've learned that Grandma usually makes coffee with Rui.",
)
