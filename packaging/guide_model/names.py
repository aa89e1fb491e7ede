"""Names of people: common ones, and made ones so that the guide learns to repeat what it never saw."""

from __future__ import annotations

from random import Random

from guide_model.topic import words

COMMON = words("""
    Anna Ben Clara David Emma Finn Greta Hugo Ida Jack Kate Leo Maria Nora Oscar Paul Rosa Sam Tom Una Vera
    Will Zoe Alice Bob Eve Max Lily Noah Mia Omar Priya Yuki Chen Ali Sara Ivan Lena Marco Sofia Peter John
    Mary Jane Mark Lucy Adam Ella Kim Alex James Robert Michael William Richard Thomas Charles Daniel Matthew
    Anthony Andrew Joseph Steven Kevin Brian George Edward Ronald Timothy Jason Jeffrey Ryan Jacob Gary
    Nicholas Eric Jonathan Stephen Larry Justin Scott Brandon Linda Barbara Susan Jessica Karen Nancy Lisa
    Betty Sandra Ashley Emily Donna Michelle Carol Amanda Melissa Deborah Stephanie Rebecca Laura Sharon
    Cynthia Kathleen Amy Angela Shirley Brenda Pamela Nicole Ruth Helen Samantha Christine Ahmed Fatima Hassan
    Layla Mohammed Aisha Ravi Anita Sanjay Deepa Wei Ming Hiroshi Keiko Kenji Sakura Jin Soo Minh Linh Pierre
    Camille Lucas Chloe Hans Ursula Klaus Ingrid Lars Astrid Sven Freya Juan Carmen Diego Lucia Pablo Elena
    Giovanni Chiara Luca Giulia Pedro Ana Joao Ines Dmitri Olga Boris Natasha Jan Eva Piotr Kasia Amara Kofi
    Zola Thabo Siobhan Niamh Callum Isla Rhys Gwen Dylan Megan Harriet Beatrix Edgar Winifred Cedric Mabel
    Felix Ottilie Jasper Hazel
""")
_STARTS = words("""
    Al An Ba Be Bo Bra Ca Ce Chi Co Da De Do Dra El Em Fa Fe Fi Ga Gri Ha He Hu In Is Jo Ju Ka Ki Kla La Le Li
    Lo Lu Ma Me Mi Mo Na Ne Ni No Ol Or Pa Pe Pi Qui Ra Re Ri Ro Ru Sa Se Sha Si So Ste Ta Te The Ti To Tu Ul
    Um Va Ve Vi Wa We Wi Xa Ya Yo Za Ze Zo
""")
_ENDS = words("""
    ra lin na mir da lo ris ven ta bel ko nor sa mi del ro len va di no ma ni la ria rin vi gan lia ton thy
    mond bert wyn sha que ne cho lle rick phia thew zar dor fin gus hild jan
""")
# Names that no training text holds, for the examination.
UNSEEN = (
    "Katherine",
    "Bartholomew",
    "Ximena",
    "Thibault",
    "Nguyen",
    "Joshua",
    "Mehmet",
    "Francesca",
    "Douglas",
    "Elizabeth",
)


def name(rng: Random, common: float = 0.45) -> str:
    """A first name, sometimes with a family name; never one of the unseen."""
    while True:
        drawn = rng.choice(COMMON) if rng.random() < common else _made(rng)
        if rng.random() < 0.06:
            drawn += f" {_made(rng)}"
        if not set(drawn.split()) & set(UNSEEN):
            return drawn


def short_name(rng: Random) -> str:
    """One name without a family name, as in a story."""
    return name(rng, 0.35).split()[0]


def _made(rng: Random) -> str:
    made = rng.choice(_STARTS) + rng.choice(_ENDS)
    return made + rng.choice(_ENDS) if rng.random() < 0.4 else made
