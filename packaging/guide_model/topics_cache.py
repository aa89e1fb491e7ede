"""What the guide says about the commands of the Cache menu, and about cached state on disk."""

from __future__ import annotations

from guide_model.commands import keys, menu_path
from guide_model.topic import Topic, lines

CACHE: tuple[Topic, ...] = (
    Topic(
        "memory_budget",
        commands=("budget",),
        asked=lines("""
            how do i change the budget | can i change the memory limit | can i set how much memory the cache uses
            how do i raise the budget | can i give it more memory | how do i give the cache more memory
            how do i limit the memory | where do i set the memory | the cache takes too much memory
            can the cache use less ram | where can i configure the cache | make the cache bigger
            make the cache smaller | how do i set the cache size | where is the memory budget
            i have a lot of ram, can you use more | can i decide how much memory it takes | can it use more of my ram
            where do i choose the memory budget
        """),
        doing=lines("""
            change the budget | change the cache limit | set a memory limit | give the cache more memory
            limit the memory | make the cache smaller | set the memory budget | raise the memory limit
            lower the memory budget | use less ram | let it use more ram | change how much memory it may take
            set the size of the cache | allow more memory | reduce the memory use
            set a limit for the memory of the cache | adjust the memory budget
        """),
        naming=lines("memory budget | the memory budget menu"),
        answers=(
            f"Choose an amount under {menu_path('budget')}. It holds at once and the next time too.",
            f"{menu_path('budget')} sets how much memory the cache may use; it stands in the settings, too.",
        ),
    ),
    Topic(
        "disk_budget",
        commands=("disk_budget",),
        asked=lines("""
            how much disk does the cache use | can i limit the disk space | how do i change the disk budget
            how do i turn the disk cache off | can i stop it from writing to disk | the cache fills my disk
            my disk is full | how do i set how much disk it may use | can i give the cache more disk
            how much space do the cache files take | where is the disk budget | i do not want cache files
            will it fill up my disk | how do i switch off the disk cache | is there a limit on disk
            i need more disk space
        """),
        doing=lines("""
            limit the disk space | change the disk budget | turn off the disk cache | stop it from writing cache files
            give the cache more disk | use less disk space | set the disk budget | switch the disk cache off
            keep the cache from filling my disk | set how much disk it may take | stop the use of the disk
            allow more disk space | change how much space the cache files take | forbid cache files
        """),
        naming=lines("the disk budget | disk budget | the disk limit"),
        answers=(
            f"{menu_path('disk_budget')} sets how much of the disk the cache may take; Off deletes its files and "
            "writes none.",
            f"Choose an amount under {menu_path('disk_budget')}, or Off. Conversations are not touched by it.",
        ),
    ),
    Topic(
        "on_disk",
        asked=lines("""
            what does on disk mean | what does “on disk” mean | why does a row say on disk | the row says on disk
            what is on disk | is a branch on disk slow | how fast is a branch that is on disk
            it says on disk under the title | what does warm from disk mean | which rows are on disk
            why is my branch on disk | is on disk bad | it says on disk at the right
            what happens when i open a branch that is on disk | is on disk the same as no snapshot
        """),
        naming=lines("on disk | “on disk” | the state on disk | an on disk row | the word on disk"),
        answers=(
            "On disk means that the state lies only in a file. It is read back in a moment, which is far quicker than "
            "computing it.",
            "A row on disk is kept in a file and not in memory; going back to its branch reads it in a moment.",
        ),
    ),
    Topic(
        "disk_cache",
        asked=lines("""
            is the cache kept on disk | is the cache saved when i quit | is the cache still there after a restart
            does the cache go to disk | is there a disk cache | does the cache survive a restart
            is the cache lost when i quit | where is the disk cache | is anything of the cache on disk
            can the cache be stored | is everything cold after a restart | does a restart lose the cache
            must everything be read again after a restart | what is written to disk of the cache
            is the first answer slow after a restart | do you keep the cache between sessions
            will my branches be warm tomorrow
        """),
        doing=lines("""
            save the cache to disk | keep the cache after a restart | keep the cache over night
            have the cache back after a restart | keep what was computed when i quit
        """),
        naming=lines("the disk cache | the cache on disk"),
        answers=(
            "Yes. Cached state is written to files, so after a restart only what you type is computed.",
            "The cache is kept on disk too: after quitting and starting again you go on without reading all again.",
        ),
        more=(f"How much of the disk it may take stands under {menu_path('disk_budget')}.",),
    ),
    Topic(
        "keep_every_fork",
        commands=("keep_every_fork",),
        asked=lines("""
            what does keep every fork on disk do | can i keep every fork on disk | should i keep every fork on disk
            how do i write all states to disk | can every fork be on disk | keep every fork
            why are not all forks on disk | is every state written to disk | can all restore points be kept
            how do i make every fork quick after a restart | does keep every fork need much space
            why must a fork be read again after a restart | store every state
        """),
        doing=lines("""
            keep every fork on disk | write every state to disk | store all forks | keep all restore points on disk
            have all forks ready after a restart | store the state of every fork | write more states to disk
        """),
        naming=lines("keep every fork on disk | the keep every fork setting"),
        answers=(
            f"{menu_path('keep_every_fork')} writes every state that can be gone back to. On some models that takes "
            "several times the space.",
            f"Turn on {menu_path('keep_every_fork')}: then every fork is ready after a restart, at the price of disk "
            "space.",
        ),
    ),
    Topic(
        "pin",
        commands=("pin",),
        asked=lines("""
            can i pin a branch | how do i pin a branch | what is pinning | pin | pin this branch
            can i keep a branch warm | how do i keep a branch from being evicted | what is a pin | protect a branch
            can a branch be kept in the cache | how do i make sure that a branch stays fast
            what does pin this branch do | how long does a pin last | which key pins a branch
            i come back to this branch often, can it stay ready | is there a pin | what is a pinned branch
            can i stop a branch from being dropped | how do i keep this branch in the cache
            can this branch be kept from eviction
        """),
        doing=lines("""
            pin a branch | keep a branch in memory | pin this | keep a branch warm | protect a branch from eviction
            keep a branch in the cache | hold on to a branch | make a branch stay fast | pin the branch i see
            hold this branch in the cache | stop this branch from being evicted | keep this branch ready
            mark a branch to be kept | make sure a branch is not thrown out | keep a branch from being dropped
            fix a branch in the cache
        """),
        naming=lines("pinning | a pin | a pinned branch | the pin mark | the word pinned"),
        answers=(
            f"{menu_path('pin')} ({keys('pin')}) keeps what is cached of the branch, whatever else needs room, after "
            "a restart too.",
            f"Press {keys('pin')}: this branch then stays in the cache and is not dropped to make room.",
        ),
        more=(f"{menu_path('unpin')} lets it go again.",),
    ),
    Topic(
        "unpin",
        commands=("unpin",),
        asked=lines("""
            how do i unpin a branch | can i remove a pin | how do i take a pin away | unpin | unpin this branch
            let a branch go again | the branch is pinned, how do i undo that | how do i release a pinned branch
            i do not need the pin any more | how do i get rid of a pin | what does unpin this branch do
            too much is pinned | free a pinned branch | is there an unpin | end the pin
        """),
        doing=lines("""
            unpin a branch | remove a pin | take a pin away | release a pinned branch | let a pinned branch go
            unpin this | undo a pin | stop pinning a branch | drop a pin | free a branch that i pinned
        """),
        naming=lines("unpin | unpinning"),
        answers=(
            f"Choose {menu_path('unpin')}. The branch may then make room for others again.",
            f"{menu_path('unpin')} takes the pin away; nothing is deleted by it.",
        ),
    ),
    Topic(
        "verify",
        commands=("verify",),
        asked=lines("""
            can i check that the cache is right | how do i verify the cache | what does verify this branch do
            is the cache exact | how do i know that the cache is correct | can i test the cache | verify
            check this branch | verify this branch | how do i compare the cache with a new computation
            can the cache be wrong | does the cache change the answer | prove that the cache is right
            does reuse change what the model says | is a cached answer the same as a fresh one
            how can i trust the cache | what happens when i verify a branch | is the cache the same as computing again
        """),
        doing=lines("""
            verify a branch | check the cache | verify the cache | test whether the cache is right
            compare the cache with a fresh computation | have a branch computed again | check this branch
            make sure that the cache is exact | check whether the cache is correct | prove that the cache is right
            test this branch | compute this branch again | find out whether the cache is exact
        """),
        naming=lines("verify this branch | verifying | verify"),
        answers=(
            f"{menu_path('verify')} computes the branch again and compares it with the cache, bit for bit.",
            f"Choose {menu_path('verify')}: it says whether computing the branch again gives the same bits.",
        ),
    ),
    Topic(
        "copy_cache",
        commands=("copy_cache",),
        asked=lines("""
            can i copy the cache tree | how do i copy the cache as text | what does copy cache as text do
            how do i get the trie as text | can i send someone the cache pane | copy the events
            how do i copy the log of the cache | can i paste the tree somewhere | copy the trie
            how do i report what the cache did | copy cache as text | are my words in the copied cache
            export the cache tree | how do i get the cache events out
        """),
        doing=lines("""
            copy the cache as text | copy the trie | copy the cache tree | copy the cache events
            get the cache pane as text | paste the trie somewhere | get the tree of the cache as text
            put the trie on the clipboard | share the cache events
        """),
        naming=lines("copy cache as text"),
        answers=(
            f"{menu_path('copy_cache')} copies the tree and its events, without any words of yours.",
            f"Choose {menu_path('copy_cache')} and paste it where you like: tree and events, but none of your words.",
        ),
    ),
    Topic(
        "show_files",
        commands=("show_files",),
        asked=lines("""
            where are the cache files | in which folder is the cache | show me the cache files
            how do i open the cache folder | where does the cache lie on disk | show cache files
            can i see the cache files | where are snapshots stored | which folder holds the cached state
            how do i find the cache on my disk | open the folder with the cache | can i look at the snapshot files
            where on the mac is the cache
        """),
        doing=lines("""
            see the cache files | open the cache folder | find the cache files | show the cache files
            look at the snapshot files | find the folder of the cache | see where the cache lies
            look into the cache folder
        """),
        naming=lines("the cache folder | show cache files | the cache files"),
        answers=(
            f"{menu_path('show_files')} opens the folder with the cached state of all models.",
            f"Choose {menu_path('show_files')}: the folder opens. Its files may be deleted at any time.",
        ),
    ),
    Topic(
        "forget_cache",
        commands=("forget_cache",),
        asked=lines("""
            how do i delete the cache of one conversation | can i free the memory of this conversation
            forget this conversation's cache | what does forget this conversation's cache do
            how do i clear the cache of this chat | can i drop what is cached of this chat
            free the cache of this chat | remove only this chat from the cache | make the cache forget this chat
            clear this conversation from the cache | can one chat be taken out of the cache
            start cold with this conversation
        """),
        doing=lines("""
            clear the cache of one conversation | forget the cache of this chat | free the memory of one conversation
            drop what is cached of this chat | delete one conversation's cache | remove this chat from the cache
            free what this conversation uses | clear only this chat's cache
        """),
        naming=lines("forget this conversation's cache"),
        answers=(
            f"{menu_path('forget_cache')} deletes the cached state that only this conversation uses; its words stay.",
            f"Choose {menu_path('forget_cache')}. Only cached state goes, and it is computed again when you go on.",
        ),
    ),
    Topic(
        "delete_files",
        commands=("delete_files",),
        asked=lines("""
            how do i delete the cache | how do i clear the cache | can i delete the cache files | empty the cache
            what does delete cache files do | clear the cache | do i lose chats when i delete the cache
            how do i free disk space | is it safe to delete the cache | remove all snapshots
            delete all cache files | reset the cache | can i throw the cache away | how do i empty the whole cache
            wipe the cache
        """),
        doing=lines("""
            delete the cache | clear the cache | delete the cache files | empty the cache | free disk space
            reset the cache | remove all snapshots | wipe the cache | remove all cache files | clear the whole cache
            throw the cache away | start with an empty cache | get rid of the cache
        """),
        naming=lines("delete cache files"),
        answers=(
            f"{menu_path('delete_files')} deletes the cached state of all models from the disk; conversations stay.",
            f"Choose {menu_path('delete_files')}. No word of a conversation is lost; the state is computed again.",
        ),
    ),
    Topic(
        "events",
        asked=lines("""
            what are the events | what is the list below the tree | what are the lines at the bottom of the cache pane
            what does the log in the cache pane say | what did the cache do | is there a log of the cache
            how do i see what the cache did | what does restored mean | what does stored the state mean
            what does split at mean | how do i hide the events | why are there times in the cache pane
            what is written under the trie | where are the cache events | can i see what was evicted
        """),
        naming=lines("the events | the event log | the log below the tree | the list of events | cache events"),
        answers=(
            "Below the trie stands what the cache did, event by event: what was computed, stored, restored or evicted.",
            "Events tell what became of cached state and when, for example what was evicted to make room.",
        ),
    ),
    Topic(
        "warm",
        asked=lines("""
            what does warm mean | what does cold mean | what is a warm branch | what is a cold branch
            why is this branch cold | it says warm under the title | it says cold, what now | is warm good
            what does the line under the title say | warm or cold, what does it mean | why is my chat cold
            what is written under the title of the chat | what is cold | which of my chats are warm
        """),
        naming=lines("warm | cold | a warm branch | a cold branch | warmth | the word warm | the word cold"),
        doing=lines("""
            tell whether a branch is warm | see whether a chat is warm
        """),
        answers=(
            "Warm means that the cache holds the branch, so only what you type is computed. Cold means that it is "
            "read first.",
            "A warm branch goes on at once. A cold one is computed again when you ask on; its words are all there.",
        ),
        more=(f"{menu_path('warm_up')} makes a cold branch warm.",),
    ),
    Topic(
        "price",
        asked=lines("""
            what will this question cost | how do i see what an answer will cost | what does tokens to compute mean
            what is the line under the message field | what does 212 tokens to compute mean | what is the price
            how long will it take before i ask | can i see the cost before i send | what does about 9 s mean
            why does it say tokens to recompute | what stands below the field while i type
            can i know in advance how long it takes | what does recompute mean
        """),
        naming=lines("the price | the cost of a question | tokens to compute | tokens to recompute | the price line"),
        doing=lines("""
            see the cost of a question | know how long an answer will take | see beforehand how much is computed
        """),
        answers=(
            "Before you send, the line below the message field says how many tokens must be computed, and about how "
            "long that takes.",
            "That is the price of sending: the tokens that the cache does not hold, and the time they will take.",
        ),
    ),
    Topic(
        "status_line",
        asked=lines("""
            what is the line at the bottom of the window | what does ready mean | what does the status line say
            what is written at the bottom left | what is written at the bottom right | what does writing mean
            where do i see how fast it writes | what does tok per second mean | what does tok/s mean
            what is it doing right now | where is the progress | what do the words at the bottom mean
            how do i see what the model is doing | how fast is the model
        """),
        naming=lines("the status line | the status bar | tok/s | the bottom line of the window | tokens per second"),
        doing=lines("""
            see what the model is doing | see how fast it writes
        """),
        answers=(
            "The line at the bottom says what the model is doing, how fast it writes, and how full the cache is.",
            "At the bottom left stands what is going on: loading, reading, writing or ready. At the right stands the "
            "cache.",
        ),
    ),
    Topic(
        "where_data",
        asked=lines("""
            where are my conversations stored | in which folder are my chats | where is my data
            where does espalier keep my text | where is the database | in which file are my chats
            where on disk are my conversations | how do i back up everything | how do i back up my conversations
            can i make a backup | which folder do i back up | where does espalier store things
            where are the files of espalier | how do i uninstall espalier | how do i remove espalier
            which folder has my conversations | in what place are my chats kept | how do i save all my chats elsewhere
        """),
        doing=lines("""
            back up my conversations | back up everything | find my data on disk | find the database
            find the folder with my chats | see where my chats are stored | make a backup of my chats
            save all my conversations on another disk
        """),
        naming=lines("the data folder | the database"),
        answers=(
            "On this Mac, in Library/Application Support/Espalier of your home folder. A backup of that folder keeps "
            "everything.",
            "Conversations lie in a database in Library/Application Support/Espalier, cached state in "
            "Library/Caches/Espalier.",
        ),
    ),
)
