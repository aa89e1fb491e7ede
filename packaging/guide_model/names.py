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
_ONSETS = words("""
    b bl br c ch cl cr d dr f fl fr g gl gr h j k kh kl kr l m n ng p ph pl pr qu r rh s sc sh sk sl st t th thr
    tr ts v w wh x y z zh
""")
_VOWELS = words("a e i o u a e i o u aa ae ai au ea ee ei eo ia ie io oa oo ou ue uy y")
_CODAS = words("b ck d f g h k l ld ll lt m n nd ng nn ns p r rd rk rl rn rt s ss st t th tz v x z")
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


def strange_name(rng: Random) -> str:
    """A name of one to four syllables from anywhere, so various that it can only be copied, not remembered."""
    while True:
        drawn = "".join(_syllable(rng) for _ in range(rng.choice((1, 2, 2, 2, 3, 3, 4)))).capitalize()
        if 2 <= len(drawn) <= 13 and drawn not in UNSEEN:
            return drawn


def _syllable(rng: Random) -> str:
    onset = rng.choice(_ONSETS) if rng.random() < 0.85 else ""
    return onset + rng.choice(_VOWELS) + (rng.choice(_CODAS) if rng.random() < 0.45 else "")


def _made(rng: Random) -> str:
    made = rng.choice(_STARTS) + rng.choice(_ENDS)
    return made + rng.choice(_ENDS) if rng.random() < 0.4 else made
