"""What the guide says about finding, naming, filing and deleting conversations, and about conversations in files."""

from __future__ import annotations

from guide_model.commands import keys, menu_path
from guide_model.topic import Topic, lines

_SEARCH = keys("find_everywhere")

KEEPING: tuple[Topic, ...] = (
    Topic(
        "search",
        commands=("find_everywhere",),
        asked=lines("""
            how do i search | can i search my conversations | where is search | how do i find a word
            can i search for text | is there a search field | how do i find an old message
            what does shift cmd f do | search | find | find my chat about cats
            how do i look something up in my chats | where can i search
            i am looking for an old message | search all conversations | find a message i wrote
            can you find something in my history | look for a word | is there a search function
            how do i find where i wrote about lisbon | which key searches | i need to find an old answer
            i wrote something last week, how do i find it | can i filter my chats | where is the search box
            is it possible to search | can i look for words in my chats | does espalier have a search
        """),
        doing=lines("""
            search | search my conversations | find a word | search for a message | look for text in my chats
            find an old answer | search everything i wrote | find a conversation by a word
            search for something | look for a word i wrote | look something up in my old conversations
            find what i asked last week | search through all my chats | find some text again | locate an old chat
            look for an answer i once got
        """),
        naming=lines("the search field | search conversations | the search"),
        answers=(
            f"Press {_SEARCH} and type a word. It is looked for in every conversation and every branch.",
            f"{menu_path('find_everywhere')} ({_SEARCH}) finds words in all conversations, hidden branches too.",
        ),
        more=(
            "Click a result and the chat opens on the branch where the words stand.",
            f"{keys('find')} finds words in the branch that you see.",
        ),
    ),
    Topic(
        "search_where",
        commands=("find_everywhere",),
        asked=lines("""
            does search look into other branches | does search find hidden branches | what does search look through
            can i search in the branches i do not see | does the search find answers too
            does search cover all conversations | what happens when i click a search result
            does search open the right branch | is the whole history searched | how do i leave the search
            how do i clear the search | are old branches searched | does it search what the model said
        """),
        doing=lines("""
            search in other branches | search hidden branches | open a search result | close the search
            search every branch | find text that is not shown | find a word in another branch
        """),
        naming=lines("a search result | the search results"),
        answers=(
            f"Search ({_SEARCH}) looks through questions and answers in every branch, and a result opens the "
            "branch it stands in.",
            f"With {_SEARCH} you search all branches of all conversations. Click a result to go there; Esc "
            "ends the search.",
        ),
    ),
    Topic(
        "rename",
        commands=("rename",),
        asked=lines("""
            how do i rename a conversation | can i change the title | rename | change the title of this chat
            how do i name this conversation | can i give this chat another name | where do titles come from
            the title is wrong, can i change it | how do i change the name of a conversation
            can conversations have names | which key renames | what does f2 do | i want another title | rename this
            can i rename a chat | how do i edit the title | where can i change the name of a chat
            how can a conversation get another name
        """),
        doing=lines("""
            rename a conversation | rename this chat | change the title | give a conversation another name
            change the name of a chat | name a conversation | edit the title of a conversation | retitle a chat
            give this chat a better name | change how this conversation is called | write another title | name my chat
            correct the title of a conversation | set the name of a conversation
        """),
        naming=lines("rename conversation"),
        answers=(
            f"Choose {menu_path('rename')} ({keys('rename')}), type the new title and press Return.",
            f"Press {keys('rename')} and type another title for the open conversation.",
        ),
    ),
    Topic(
        "favourite",
        commands=("favourite",),
        asked=lines("""
            can i mark a favourite | how do i mark a favourite | are there favourites | can i star a conversation
            how do i keep a chat at the top | can i move a chat up | how do i put a conversation above the others
            can i pin a conversation to the top of the list | what are favourites | where are my favourites
            can i bookmark a chat | is there a star | how do i remove a favourite | favourite | favorites
            does espalier have favourites | how can a chat stay at the top
        """),
        doing=lines("""
            mark a conversation as a favourite | make a favourite | star a chat | keep a chat at the top of the list
            bookmark a conversation | add a chat to the favourites | remove a favourite | unstar a chat
            mark this chat as important | have a favourite conversation | put this chat first in the list
            let a conversation stay on top | make a conversation a favourite | put a star on a conversation
        """),
        naming=lines("a favourite | favourites | the favourites section | a favorite"),
        answers=(
            f"{menu_path('favourite')} puts the open conversation above the others. Choose it again to take it back.",
            f"Choose {menu_path('favourite')}: the conversation then stands at the top of the list.",
        ),
    ),
    Topic(
        "folder_new",
        commands=("new_folder",),
        asked=lines("""
            can i make folders | are there folders | how do i make a folder | folders | new folder
            can i group my chats | make a group | how do i sort my conversations | can i organise my chats
            where are the folders | does it have folders | can i order my conversations | how do i tidy the list
            how do i create a folder | how do i arrange my chats | which key makes a folder
        """),
        doing=lines("""
            make a folder | create a folder | add a folder | group my conversations | sort my chats
            organise my conversations | tidy up the list of chats | make a new folder | have folders
            get a new folder | create folders for my chats | put some order into my chats | keep my work chats apart
            collect chats in a group
        """),
        naming=lines("a folder | folders | new folder | a folder in the list"),
        answers=(
            f"{menu_path('new_folder')} ({keys('new_folder')}) makes a folder. {menu_path('folders')} puts a "
            "conversation into one.",
            f"Yes, there are folders: press {keys('new_folder')} for a new one. They stand in the list at the left.",
        ),
    ),
    Topic(
        "folder_move",
        commands=("folders",),
        asked=lines("""
            can i put chats in a folder | how do i put a conversation into a folder | move this chat to a folder
            how do i move a conversation to another folder | how do i take a chat out of a folder
            how do i get a conversation into a folder | can i move a chat between folders | move to folder
            put this chat away in a folder | how do i fill a folder | how do i file this conversation
            can a conversation leave its folder
        """),
        doing=lines("""
            put conversations in folders | move a conversation to a folder | put a chat into a folder
            move this chat to another folder | take a conversation out of a folder | file a conversation
            remove a chat from a folder | put this conversation somewhere else | get a chat into another folder
            file this chat under work | change the folder of a chat
        """),
        naming=lines("move to folder"),
        answers=(
            f"Choose {menu_path('folders')} and the folder; No Folder takes the conversation out again.",
            f"Drag it onto the folder in the list at the left, or choose one under {menu_path('folders')}.",
        ),
    ),
    Topic(
        "folder_change",
        asked=lines("""
            how do i delete a folder | can i remove a folder | what happens to the chats in a deleted folder
            how do i rename a folder | do i lose conversations when i delete a folder
            how do i close a folder in the list | are chats deleted with their folder | delete this folder
            can a folder have another name | i do not need this folder any more | get rid of a folder
            is anything lost when a folder is deleted | right click on a folder | fold up a folder
            how do i change the name of a folder
        """),
        doing=lines("delete a folder | remove a folder | rename a folder | change a folder's name"),
        answers=(
            "Right-click the folder: Rename and Delete Folder stand there. The conversations in it stay.",
            "Delete Folder, under a right-click on it, takes only the folder away; its conversations are still there.",
        ),
    ),
    Topic(
        "delete_conversation",
        commands=("delete_conversation",),
        asked=lines("""
            how do i delete a conversation | how do i get rid of a chat | delete this conversation | delete this chat
            can i delete a conversation | how do i remove a chat from the list | i want this chat gone
            can i get rid of this conversation | erase this conversation | how do i delete old chats
            put this in the trash | is there a way to delete a chat | which key deletes a conversation
            how do i throw this chat away | can chats be deleted | i do not need this conversation any more
            remove this chat | how do i empty the list | delete old conversations | delete | remove
            can a conversation be removed | is it possible to delete chats
        """),
        doing=lines("""
            delete a conversation | get rid of a chat | remove an old chat | erase a conversation | delete a chat
            remove a conversation from the list | throw a conversation away | put a conversation into the trash
            clear my history | delete this chat | remove this conversation | delete an old conversation
            delete a whole chat | make this chat disappear | get this conversation off the list | trash a conversation
            delete my conversations
        """),
        naming=lines("delete conversation"),
        answers=(
            f"{menu_path('delete_conversation')} ({keys('delete_conversation')}) puts it into the trash. "
            f"{keys('undo')} brings it back.",
            f"Press {keys('delete_conversation')}: the open conversation goes to the trash and stays there for 30 "
            "days.",
        ),
        more=(f"{menu_path('trash')} shows what was deleted.",),
    ),
    Topic(
        "delete_message",
        commands=("delete_message",),
        asked=lines("""
            how do i delete a branch | can i delete a message | can i remove a branch | how do i remove an answer
            how do i clean up a branch | delete this message | can i delete an answer | can a branch be removed
            remove this branch | delete this branch | how do i delete a question | can i throw a branch away
            how do i remove a message from the chat | i want this branch gone | delete the last answer
            what does delete message and what follows do | can i cut off a branch | which key deletes a message
            how do i delete one version | remove everything below a message | how do i delete part of a chat
        """),
        doing=lines("""
            delete a branch | remove a branch | delete a message | get rid of a branch | throw a branch away
            delete an answer | delete a question | remove a message | delete one version | cut off a branch
            delete everything below a message | erase a message | delete the end of a chat | remove a question
            delete a reply | remove a reply i do not like | delete the last message | take a message out of the chat
            delete this part of the chat | remove the branch i am on | drop a branch
        """),
        naming=lines("delete message and what follows"),
        answers=(
            f"Select the message where the branch begins and press {keys('delete_message')}. It goes to the trash "
            "with all that follows.",
            f"{menu_path('delete_message')} ({keys('delete_message')}) puts a message and its branches into the "
            f"trash. {keys('undo')} brings them back.",
        ),
        more=("Where more goes than you see, you are told how much before.",),
    ),
    Topic(
        "prune",
        commands=("prune",),
        asked=lines("""
            how do i delete all other branches | can i keep only this branch | how do i clean up old branches
            delete the other branches | i only want to keep what i see | what does delete other branches do
            how do i get rid of all the other versions | remove all branches but this one | keep this branch only
            can i throw away everything but this branch | too many branches, how do i clean up
            how do i prune the tree | drop the branches i do not need | make it one branch again
            can i delete all versions but this
        """),
        doing=lines("""
            delete all other branches | keep only this branch | clean up old branches | remove the other versions
            prune the conversation | delete the branches i do not see | throw away all other branches
            remove every branch but this one | get rid of the other versions | delete all branches except this
            have only one branch left | delete the rest of the tree | reduce the chat to what i see
        """),
        naming=lines("delete other branches | pruning"),
        answers=(
            f"{menu_path('prune')} keeps the branch you see and puts all others of the conversation into the trash.",
            f"Choose {menu_path('prune')}: only the branch you see stays. {keys('undo')} brings the others back.",
        ),
    ),
    Topic(
        "trash",
        commands=("trash",),
        asked=lines("""
            where is the trash | is there a trash | is there a bin | what is in the trash | open the trash
            how long does something stay in the trash | when is deleted text gone | where do deleted chats go
            what happens to deleted conversations | where did my deleted chat go | how long are deleted chats kept
            is a deleted conversation gone at once | what happens after 30 days | show me what i deleted
            trash | recycle bin | is delete final
        """),
        doing=lines("""
            open the trash | see the trash | look into the trash | see what i deleted | find the trash
            look at deleted chats | list what was deleted | get to the trash
        """),
        naming=lines("the trash | the bin | the trash box | the recycle bin"),
        answers=(
            f"{menu_path('trash')} shows what was deleted. It stays there for 30 days, then it goes by itself.",
            f"What you delete lies in {menu_path('trash')} for 30 days and can be restored from there.",
        ),
    ),
    Topic(
        "restore",
        commands=("trash",),
        asked=lines("""
            how do i get a deleted conversation back | can i restore a deleted chat | i deleted a chat by accident
            how do i undelete a branch | bring back my deleted conversation | i deleted the wrong branch
            can deleted messages be recovered | how do i recover a conversation | restore | undelete
            i want my deleted chat back | how do i restore something from the trash | is my deleted branch lost
            i deleted something by mistake, what now | can i take back a deletion | get back what i deleted
            i removed a chat, can i have it back | is there a way back after deleting | can deleted chats come back
        """),
        doing=lines("""
            restore a deleted conversation | get a deleted chat back | undelete a branch | recover a deleted message
            bring back what i deleted | restore something from the trash | take something out of the trash
            undo a deletion | get back a conversation i removed | rescue a deleted chat
            bring a branch back from the trash | recover what i threw away | reverse a deletion
            undelete a conversation
        """),
        answers=(
            f"Open {menu_path('trash')}, choose what you want back and press Restore.",
            f"Right after deleting, {keys('undo')} brings it back. Later, choose it in {menu_path('trash')} and press "
            "Restore.",
        ),
    ),
    Topic(
        "empty_trash",
        commands=("trash",),
        asked=lines("""
            how do i empty the trash | how do i delete something for good | delete for ever | erase everything
            can i erase everything | can i delete my data | how do i wipe my data | really delete it
            how do i make sure that a chat is gone | can a deleted chat be destroyed at once | delete all
            i want to delete everything | empty the bin | how do i delete a secret for good | clear the trash
            how do i remove every trace
        """),
        doing=lines("""
            empty the trash | delete something for good | delete a chat for ever | erase my data | wipe everything
            remove a conversation completely | destroy a chat | delete everything | delete chats permanently
            erase what is in the trash | get rid of deleted chats at once | remove something for ever
        """),
        answers=(
            f"Open {menu_path('trash')} and press Empty Trash…. What lies there is then gone for good.",
            f"Delete it, then empty the trash: {menu_path('trash')}, Empty Trash…. Nobody can bring that back.",
        ),
    ),
    Topic(
        "undo",
        commands=("undo",),
        asked=lines("""
            how do i undo | can i undo | is there an undo | how do i take back what i did | what does undo do
            can i undo a delete | which key is undo | undo | revert | how do i go back one step
            i made a mistake, take it back | how do i take back the last change | can everything be undone
            can i undo a rename | what can be undone | what does cmd z do | i did something wrong, undo it
            how do i take back what i typed | i typed something wrong, how do i take it back
            could i undo what i just deleted | can i reverse the last thing i did
        """),
        doing=lines("""
            undo | undo a change | take back a change | undo my typing | take back the last step | undo a delete
            revert a change | undo what i did | reverse what i just did | take back my last action
            undo the last deletion | undo a move | correct a mistake i just made
        """),
        naming=lines("undo | the undo command"),
        answers=(
            f"{menu_path('undo')} ({keys('undo')}) takes back the last change to your text or your conversations.",
            f"Press {keys('undo')}. While you write it takes back typing; otherwise deleting, renaming, moving and so "
            "on.",
        ),
    ),
    Topic(
        "redo",
        commands=("redo",),
        asked=lines("""
            how do i redo | is there a redo | what does redo do | which key is redo | redo
            i undid too much | how do i do it again after undo | can i undo the undo | take back an undo
            repeat what i undid | i pressed undo once too often | how do i get back what i undid
            what is the opposite of undo | undo went too far | step forward again after undo
        """),
        doing=lines("""
            redo | redo a change | undo an undo | do again what i undid | step forward after undo | redo what i undid
            bring back what undo took away | reapply a change
        """),
        naming=lines("redo | the redo command"),
        answers=(
            f"{menu_path('redo')} ({keys('redo')}) does again what Undo took back.",
            f"Press {keys('redo')}: what you undid is done again.",
        ),
    ),
    Topic(
        "export",
        commands=("export",),
        asked=lines("""
            can i export a conversation | how do i export | how do i share a conversation | is there an export
            can i save a chat as a file | export | how do i get my chats out of here | can i send a chat to a friend
            how do i back up a conversation | can i download my chat | write this chat to a file
            is there a backup | export this conversation | what is an espalier file | how do i save a chat to disk
            can i keep a copy of a chat | how do i give this chat to somebody
            can i export with all branches | which format does export write
        """),
        doing=lines("""
            export a conversation | export a chat | share a chat | save a chat as a file
            save a conversation to a file | write a conversation to a file | make a backup of a chat
            send a chat to someone | write a chat to a file | put a conversation into a file | export this
            save the conversation with all branches | hand a conversation to a colleague
            store a chat outside espalier
        """),
        naming=lines("an espalier file | the .espalier format | export conversation"),
        answers=(
            f"{menu_path('export')} ({keys('export')}) writes the conversation with all its branches to a file.",
            f"Press {keys('export')} to save the open conversation, every branch of it, as an .espalier file.",
        ),
        more=(f"{menu_path('import')} reads such a file again.",),
    ),
    Topic(
        "export_branch",
        commands=("export_branch",),
        asked=lines("""
            can i export to markdown | how do i save this branch as text | can i export a single branch
            how do i get the chat as markdown | save as a text file | can i export only what i see
            export to a text file | how do i get plain text out | can i write this branch to a file
            how do i export one branch | markdown | can i turn this chat into a document | export as text
            how do i put this chat into my notes | i need the text of this branch
        """),
        doing=lines("""
            export a branch | export a branch as markdown | export to a text file | save a branch as text
            save this branch as markdown | get the chat as text | write what i see to a file
            get a text version of this chat | save what i see as markdown | turn this branch into text
            make a markdown file | write the open branch to a file | get the words of this branch out
        """),
        naming=lines("export branch as markdown"),
        answers=(
            f"{menu_path('export_branch')} writes the branch you see as text.",
            f"Choose {menu_path('export_branch')}: you get a text file of this branch, which any editor opens.",
        ),
    ),
    Topic(
        "export_tree",
        commands=("export_tree",),
        asked=lines("""
            can i export all branches as markdown | how do i save every branch as text | export the whole tree as text
            how do i get all branches into one text file | write all branches to markdown
            can i read the whole tree in a text editor | export every branch | all branches as one document
            how do i export all versions as text | markdown of the whole conversation | text of all branches
            is there an export of the whole tree | i need every branch in a document
        """),
        doing=lines("""
            export all branches | export all branches as markdown | save every branch as text | export the whole tree
            write all branches to a text file | get every branch as markdown | have all versions in one text file
            write the tree to markdown | make a document of all branches
        """),
        naming=lines("export all branches as markdown"),
        answers=(
            f"{menu_path('export_tree')} writes every branch of the conversation as text.",
            f"Choose {menu_path('export_tree')}: one text file with every branch, the forks numbered.",
        ),
    ),
    Topic(
        "import",
        commands=("import",),
        asked=lines("""
            can i import a chat | how do i import | how do i import my chats from another app | import
            import from chatgpt | can i import conversations | can i bring my chats from chatgpt | import chats
            how do i open an espalier file | how do i read an exported conversation | is there an import
            can it read chats from open webui | i have a file with conversations | open a conversation from a file
            can i load my old chats from another program | how do i get my chatgpt history in here
            which files can be imported | which programs can it import from
        """),
        doing=lines("""
            import a conversation | import chats | import my chatgpt history | read conversations from a file
            open an espalier file | bring in chats from another program | import from open webui
            load an exported conversation | get my chats from chatgpt in here | bring in old conversations
            load a file with conversations | read a file that i exported | take over my chats from another app
            add conversations from a file
        """),
        naming=lines("import"),
        answers=(
            f"{menu_path('import')} ({keys('import')}) reads what was exported here, and the exports of ChatGPT and "
            "Open WebUI.",
            f"Press {keys('import')} and choose the file. The exports of ChatGPT and Open WebUI are read too, with "
            "their branches.",
        ),
        more=("You can also drop the file on the window.", "A file that was imported before is recognised."),
    ),
    Topic(
        "other_mac",
        commands=("export", "export_all", "import"),
        asked=lines("""
            can i move my chats to another mac | how do i take my conversations to a new computer
            how do i get my chats onto my other mac | i have a new mac, how do i move my chats
            transfer a conversation to another computer | can i continue this chat on another mac
            how do i use my chats on two computers | bring this conversation to my laptop | move to a new mac
            how do i copy a conversation to another computer | can my colleague open my conversation
            how do i open my chat on another machine
        """),
        doing=lines("""
            move my chats to another mac | transfer a conversation to another computer | use a chat on two computers
            continue a chat on another mac | bring my chats along to a new computer
            open a conversation on another computer | give a chat to another mac
        """),
        answers=(
            f"{menu_path('export_all')} writes all of them here, {menu_path('import')} reads the file on the other "
            "Mac.",
            f"Write the conversation to a file ({keys('export')}), take it to the other Mac and import it there "
            f"({keys('import')}).",
        ),
    ),
    Topic(
        "right_click",
        asked=lines("""
            what does a right click do | is there a context menu | can i right click a message
            what happens when i right click a conversation | right click | what is in the context menu
            what can i do with the right mouse button | is there a menu at a message | what does control click do
            can i right click in the list | where is the context menu | secondary click
            right click on a chat in the list | right click on an answer | does a right click show anything
        """),
        naming=lines("the context menu | the right click menu"),
        answers=(
            "On a message a right-click offers copying, new branches and deleting; on a conversation renaming, "
            "favourites, folders and deleting.",
            "It opens a menu with what can be done there: with a message, a conversation, a folder, a branch or a row.",
        ),
    ),
    Topic(
        "order",
        asked=lines("""
            how is the list sorted | in which order are my conversations | why did this chat move up
            why is the list in this order | what stands at the top of the list | which chat comes first
            why do my chats change places | is the list sorted by date | what does earlier mean in the list
            what does today mean in the list | what are the sections of the sidebar | what is the order of the chats
            can i sort the list by name | how are the conversations ordered | why is my chat under earlier
        """),
        naming=lines("the order of the list | the sections in the sidebar"),
        answers=(
            "The list shows what was used last first: favourites at the top, then today, earlier, samples and folders.",
            "By last use, under Favourites, Today, Earlier, Samples and Folders. It cannot be sorted in another way.",
        ),
    ),
)
