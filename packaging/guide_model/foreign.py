"""What the guide cannot answer though it is plainly said: numbers and sums, and words of other languages."""

from __future__ import annotations

from random import Random

from guide_model.topic import lines

_SUMS = lines("""
    {n} + {m} | {n} - {m} | {n} * {m} | {n} x {m} | {n} / {m} | {n}+{m} | {n}*{m} | {n}-{m} | {n}/{m} | {n}^2
    what is {n} + {m} | what is {n} - {m} | what is {n} times {m} | what is {n} divided by {m} | what is {n} plus {m}
    what is {n} minus {m} | what is {n} * {m} | what is {n} percent of {m} | how much is {n} + {m}
    how much is {n} times {m} | how much is {n} minus {m} | calculate {n} * {m} | compute {n} + {m} | add {n} and {m}
    subtract {n} from {m} | multiply {n} by {m} | divide {m} by {n} | is {n} larger than {m} | is {n} a prime number
    what comes after {n} | the square root of {n} | {n} squared | half of {n} | double {n} | round {n}.{m}
    what is the sum of {n} and {m} | {n} plus {m} | {n} minus {m} | {n} times {m} | solve {n} + x = {m}
    {n} + {m} = | {n} * {m} = ? | how many is {n} and {m} | what is {n} in binary | factor {m}
""")
_NUMBERS = lines("""
    {n} | {n} {m} | {n}.{m} | {n}, {m} | {n}{m} | -{n} | {n} {m} {n} | number {n} | {n}%
""")

_OTHER_LANGUAGES = lines("""
    wie geht es dir | wer bist du | wie heisst du | was kannst du | guten tag | wie spät ist es | wie mache ich das
    was ist ein baum | wo finde ich meine gespräche | ich verstehe das nicht | hilf mir bitte | danke schön
    kannst du mir helfen | erzähl mir eine geschichte | was ist die hauptstadt von frankreich | auf wiedersehen
    wie kann ich einen zweig anlegen | bitte antworte auf deutsch | warum ist der himmel blau
    comment ça va | qui es tu | comment tu t'appelles | bonjour | quelle heure est il | je ne comprends pas
    qu'est-ce que c'est | aide moi | merci beaucoup | raconte moi une histoire | où sont mes conversations
    quelle est la capitale de l'italie | peux tu m'aider | au revoir | comment faire une branche | parle français
    pourquoi le ciel est bleu | est-ce que tu parles français
    hola | cómo estás | quién eres | cómo te llamas | qué hora es | no entiendo | ayúdame por favor | muchas gracias
    cuéntame una historia | dónde están mis conversaciones | cuál es la capital de españa | puedes ayudarme
    adiós | habla español | cómo hago una rama | por qué el cielo es azul | qué es esto
    ciao | come stai | chi sei | come ti chiami | che ore sono | non capisco | aiutami | grazie mille
    raccontami una storia | dove sono le mie conversazioni | qual è la capitale della francia | parla italiano
    come faccio un ramo | perché il cielo è blu | arrivederci
    olá | como vai você | quem é você | que horas são | não entendo | muito obrigado | conta uma história
    onde estão minhas conversas | qual é a capital do brasil | fala português
    hallo hoe gaat het | wie ben jij | hoe laat is het | ik begrijp het niet | dank je wel | vertel een verhaal
    waar zijn mijn gesprekken | spreek nederlands | wat is dit
    jak się masz | kim jesteś | która godzina | nie rozumiem | dziękuję | opowiedz mi historię | mów po polsku
    hur mår du | vem är du | vad är klockan | jag förstår inte | tack så mycket | berätta en saga
    hvordan har du det | hvem er du | hva er klokka | jeg forstår ikke | mange takk
    mitä kuuluu | kuka sinä olet | paljonko kello on | en ymmärrä | kiitos paljon
    nasılsın | sen kimsin | saat kaç | anlamıyorum | teşekkür ederim | bana bir hikaye anlat
    hogy vagy | ki vagy te | nem értem | köszönöm szépen | jak se máš | kdo jsi | nerozumím | děkuji
    quid est hoc | quis es | gratias ago | ubi sum | salve
    как дела | кто ты | как тебя зовут | который час | я не понимаю | спасибо большое | расскажи историю
    привет | помоги мне | говори по русски | почему небо голубое
    як справи | хто ти | дякую | τι κάνεις | ποιος είσαι | ευχαριστώ | δεν καταλαβαίνω
    你好 | 你是谁 | 你叫什么名字 | 现在几点 | 我不明白 | 谢谢你 | 给我讲个故事 | 请说中文 | 天空为什么是蓝色的
    こんにちは | あなたは誰ですか | 今何時ですか | わかりません | ありがとう | 日本語を話してください | お元気ですか
    안녕하세요 | 누구세요 | 지금 몇 시예요 | 이해가 안 돼요 | 감사합니다 | 이야기 해줘
    مرحبا | من أنت | كم الساعة | لا أفهم | شكرا | كيف حالك | احك لي قصة
    שלום | מי אתה | מה השעה | אני לא מבין | תודה רבה | नमस्ते | आप कौन हैं | धन्यवाद | मुझे समझ नहीं आता
    สวัสดี | คุณคือใคร | ขอบคุณ | xin chào | bạn là ai | cảm ơn | apa kabar | siapa kamu | terima kasih | saya tidak mengerti
    habari gani | asante sana | wewe ni nani
""")


def number(rng: Random) -> str:
    """A sum, or bare numbers, with figures of one to four digits."""
    frame = rng.choice(_SUMS) if rng.random() < 0.8 else rng.choice(_NUMBERS)
    n, m = (rng.randrange(10 ** rng.randrange(1, 5)) for _ in range(2))
    return frame.format(n=n, m=m)


def foreign(rng: Random) -> str:
    """A sentence that is no English."""
    return rng.choice(_OTHER_LANGUAGES)
