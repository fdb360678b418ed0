import { offsetCursor, openPage } from '@tributary/api-kit'
import { cutText, type DeliverContext, type PeopleList, type PeopleLists } from '@tributary/connector-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { KeptAnswers } from './kept-answers.ts'
import {
  askPlatform,
  countQuestion,
  failureWords,
  type PeopleListDeps,
  peopleListsOf,
  type WithLists,
} from './people-lists-of.ts'

/** Maximum number of pages that are read from a platform for one answer, and of lists in it. */
const maxPages = 10
const maxLists = 5000

/** How long the lists of an account stay in memory, ms: a search asks the platform once, and not for each letter. */
export const maxListsAgeMs = 60_000

/** Maximum characters of a title and of a note in memory. */
const maxCharacters = 200

const cutList = ({ id, title, note }: PeopleList): PeopleList => ({
  id,
  title: cutText(title, maxCharacters).toWellFormed(),
  note: cutText(note, maxCharacters).toWellFormed(),
})

/** The lists of an account, by title. `isPart` is true if the account has more. */
export type KnownLists = { lists: readonly PeopleList[]; isPart: boolean }

const readLists = async (lists: PeopleLists, context: DeliverContext): Promise<KnownLists> => {
  const found: PeopleList[] = []
  let cursor = ''
  for (let page = 0; page < maxPages; page++) {
    const read = await lists.read(context, cursor)
    found.push(...read.lists.map(cutList))
    cursor = read.next
    if (cursor === '' || found.length >= maxLists) break
  }
  const byTitle = found.slice(0, maxLists).toSorted((one, other) => one.title.localeCompare(other.title, 'en'))
  return { lists: byTitle, isPart: cursor !== '' || found.length > maxLists }
}

/** Returns the lists of the account, which stay in memory for a short time. Rejects like `askPlatform`. */
export const knownLists = async (
  deps: PeopleListDeps,
  kept: KeptAnswers<KnownLists>,
  asked: WithLists,
): Promise<KnownLists> => {
  const { row, lists } = asked
  const wanted = { key: row.id, version: row.update_time.getTime(), maxAgeMs: maxListsAgeMs }
  const answer = await kept.read(wanted, () => askPlatform(deps, asked, (context) => readLists(lists, context)))
  return answer.value
}

const isMatch = ({ id, title }: PeopleList, words: readonly string[]): boolean => {
  const text = title.toLowerCase()
  return words.every((word) => text.includes(word) || id.toLowerCase().startsWith(word))
}

/**
 * Returns a page of the lists at the platform of a destination. If the platform cannot be asked, the response contains a
 * message instead.
 */
export const listPeopleLists =
  (deps: PeopleListDeps, kept: KeptAnswers<KnownLists>): Handler<typeof methods.peopleLists.list> =>
  async ({ workspace, params, query }) => {
    const page = openPage('peopleLists.list', params, query, offsetCursor)
    const asked = await peopleListsOf(deps, workspace.id, params.destination)
    await countQuestion(deps, workspace.id)
    let read: KnownLists
    try {
      read = await knownLists(deps, kept, asked)
    } catch (error) {
      return { people_lists: [], next_page_token: '', message: failureWords(error, deps) }
    }
    const words = query.search
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
    const found = read.lists.filter((list) => isMatch(list, words))
    const offset = page.after ?? 0
    const { rows, next } = page.cut(found.slice(offset, offset + page.size + 1), () => offset + page.size)
    const message = read.isPart ? `The account has more lists. Only the first ${read.lists.length} were read` : ''
    return { people_lists: rows.map(({ id, title, note }) => ({ id, title, note })), next_page_token: next, message }
  }
