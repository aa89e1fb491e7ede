"""The parts that the controller works with, built over one engine and one database."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject

from app.conversation.store_thread import StoreThread
from app.viewmodels.cache.cache_region import CacheRegion
from app.viewmodels.chat.answer_saver import AnswerSaver
from app.viewmodels.chat.branch_costs import BranchCosts
from app.viewmodels.chat.cost_queries import CostQueries
from app.viewmodels.chat.drafts import Drafts
from app.viewmodels.chat.generations import Generations
from app.viewmodels.chat.open_paths import OpenPaths
from app.viewmodels.chat.question_queue import QuestionQueue
from app.viewmodels.chat.questions import Questions
from app.viewmodels.chat.view_states import ViewStates
from app.viewmodels.kit.folders import Folders
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.settings import Settings
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.changes import Changes
from app.viewmodels.library.library import Library
from app.viewmodels.model.model_region import ModelRegion
from app.worker.engine_host import EngineHost


@dataclass(frozen=True, slots=True)
class Parts:
    """Each does one thing: settings, what is stored, what is told, the model, the cache, the questions on their way,
    their turn, their answers from the engine and into the database, the open paths, prices, what stands in the
    composers, how conversations are left.
    """

    host: EngineHost
    settings: Settings
    store: StoreLink
    changes: Changes
    notices: Notices
    library: Library
    model: ModelRegion
    cache: CacheRegion
    questions: Questions
    answer_saver: AnswerSaver
    generations: Generations
    question_queue: QuestionQueue
    paths: OpenPaths
    queries: CostQueries
    prices: BranchCosts
    drafts: Drafts
    views: ViewStates


def build(host: EngineHost, thread: StoreThread, settings: Settings, folders: Folders, owner: QObject) -> Parts:
    """All of them, owned by `owner`."""
    store = StoreLink(thread, owner)
    changes = Changes(store, owner)
    library = Library(store, owner)
    notices = Notices(lambda: changes.step, owner)
    model = ModelRegion(host, settings, folders.guide, notices, owner)
    models = model.current_model
    questions = Questions()
    answer_saver = AnswerSaver(store, questions, library.is_on_path, owner)
    generations = Generations(host, questions, answer_saver, owner)
    queries = CostQueries(host.submit)
    drafts = Drafts()
    question_queue = QuestionQueue(questions, library, generations, answer_saver, models, owner)
    return Parts(
        host=host,
        settings=settings,
        store=store,
        changes=changes,
        notices=notices,
        library=library,
        model=model,
        cache=CacheRegion(host, settings, folders.snapshots, model, notices, owner),
        questions=questions,
        answer_saver=answer_saver,
        generations=generations,
        question_queue=question_queue,
        paths=OpenPaths(library, changes, questions, question_queue, owner),
        queries=queries,
        prices=BranchCosts(queries, models, questions, owner),
        drafts=drafts,
        views=ViewStates(store, library, drafts, owner),
    )
