//! Questions, each with a statement that answers it, on which embedders are measured. Neighbouring pairs share a
//! subject, so that the measurement tells questions apart and not fields.

/// A question and the statement that answers it.
pub(super) const PAIRS: [(&str, &str); 32] = [
    ("How long does the battery of the laptop last?", "In our test the laptop ran for eleven hours on one charge."),
    ("How heavy is the laptop?", "The notebook weighs 1.2 kilograms without its power supply."),
    ("Who founded the bakery on Mill Street?", "The Mill Street bakery was opened by Anna Krüger in 1954."),
    ("Why did the bakery close on Mondays?", "Since the flour shortage the bakery has stayed shut every Monday."),
    ("When was the bridge over the Alder built?", "Construction of the Alder bridge was finished in 1932."),
    ("What did repairing the bridge cost?", "The town paid 4.2 million euros for the repair of the bridge."),
    ("Which supplier delivered late in March?", "Northwind's March delivery arrived nine days after the agreed date."),
    (
        "What penalty does the supply contract set for delay?",
        "For each week of delay the contract provides a penalty of one percent.",
    ),
    ("How many people work at the Lyon office?", "The office in Lyon has a staff of eighty-five."),
    ("Where will the Lyon office move to?", "Next spring the Lyon team moves into a building near the station."),
    (
        "What causes the coral in the bay to bleach?",
        "Warm water in late summer is the main reason that the bay's corals lose their colour.",
    ),
    (
        "How has the fish population of the bay developed?",
        "Fish stocks in the bay fell by a third between 2005 and 2020.",
    ),
    (
        "Does the drug lower blood pressure?",
        "Patients who took the drug had a systolic pressure that was eight points lower.",
    ),
    (
        "What side effects of the drug were reported?",
        "Headache and a dry cough were the most common complaints of those treated.",
    ),
    ("Who won the chess final?", "Petrova beat Lindqvist in the deciding game of the chess final."),
    ("How long did the deciding chess game take?", "The last game of the match went on for almost seven hours."),
    ("Why was the train line to Harrow closed?", "Landslides have made the railway to Harrow impassable."),
    ("When will trains run to Harrow again?", "Service on the Harrow line is expected to resume in October."),
    ("What do bees live on in winter?", "During the cold months a colony feeds on the honey that it has stored."),
    ("How is a swarm of bees caught?", "Beekeepers shake the swarm into a box and wait until evening."),
    ("Which password rules does the company have?", "Employees must use passphrases of at least fourteen characters."),
    ("How often are backups of the servers made?", "Every night at two the servers are copied to a second site."),
    ("What happened to the painting after the war?", "After 1945 the picture hung in a private house in Basel."),
    ("Is the painting in the museum genuine?", "Experts doubt that the museum's canvas is by the master himself."),
    (
        "How much rain fell in the valley last year?",
        "The valley's weather station recorded 890 millimetres of rain last year.",
    ),
    ("Which crops suffered from the drought?", "Maize and potatoes were hit hardest by the lack of water."),
    ("How did the audience receive the new opera?", "The premiere ended with ten minutes of applause and a few boos."),
    ("Who wrote the libretto of the opera?", "The words of the opera are by the poet Marta Silva."),
    ("What did the council decide about the skate park?", "By nine votes to four the council approved the skate park."),
    (
        "What do neighbours object to about the skate park?",
        "Residents fear noise until late in the evening from the ramps.",
    ),
    (
        "How fast does light travel in glass?",
        "In ordinary glass light moves at about two thirds of its speed in a vacuum.",
    ),
    ("Why is the sky blue?", "Air scatters short wavelengths more strongly, which is why the heavens look blue."),
];
