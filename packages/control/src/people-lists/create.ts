import { audit } from '@tributary/api-kit'
import { RetryableError } from '@tributary/connector-kit'
import { type methods, type PeopleList, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, conflict } from '@tributary/kernel'
import { countTry } from '../users/sign-in/count-tries.ts'
import type { KeptAnswers } from './kept-answers.ts'
import { type KnownLists, knownLists } from './list.ts'
import { askPlatform, failureWords, type PeopleListDeps, peopleListsOf, type WithLists } from './people-lists-of.ts'

/** Maximum number of lists that one workspace may create in 15 minutes. */
const maxCreations = 30

/** Returns the words of a failed creation. After a timeout or a fault of the platform, the list may exist. */
const creationWords = (error: unknown, deps: PeopleListDeps): string => {
  const words = failureWords(error, deps)
  if (!(error instanceof RetryableError)) return words
  return `${words.replace(/[.!]$/, '')}. It may have been created. Look at the list before you repeat.`
}

/** Returns the lists of the account with a title; undefined if they are not all known. */
const listsCalled = async (
  deps: PeopleListDeps,
  kept: KeptAnswers<KnownLists>,
  { asked, title }: { asked: WithLists; title: string },
): Promise<readonly PeopleList[] | undefined> => {
  try {
    const { lists, isPart } = await knownLists(deps, kept, asked)
    const called = lists.filter((list) => list.title === title)
    return called.length === 0 && isPart ? undefined : called
  } catch (error) {
    failureWords(error, deps)
    return undefined
  }
}

/**
 * Creates a list of people at the platform of a destination. The audit record is written before the call, so that every
 * list has a known author; a refused creation leaves a record, too. A title is used once: Meta and TikTok would accept it
 * twice. If the response is lost, the list is found by its title. Throws 409 with the words of the platform if it does
 * not create the list, or does not say whether it did.
 */
export const createPeopleList =
  (deps: PeopleListDeps, kept: KeptAnswers<KnownLists>): Handler<typeof methods.peopleLists.create> =>
  async ({ workspace, params, body: { title } }) => {
    const asked = await peopleListsOf(deps, workspace.id, params.destination)
    const { row, lists } = asked
    if (title.length > lists.maxTitle) {
      const problem = `At most ${lists.maxTitle} characters`
      throw badRequest('VALIDATION', problem, { title: problem })
    }
    await countTry(
      deps.counters,
      [[`people-list-creations:${workspace.id}`, maxCreations]],
      'Too many new lists. Try again in 15 minutes',
    )
    const before = await listsCalled(deps, kept, { asked, title })
    if (before !== undefined && before.length > 0)
      throw conflict(
        'LIST_EXISTS',
        `The account has a ${lists.title} with this title. Choose it, or enter another title`,
      )
    const resource = resourceNames.destination.format({ workspace: workspace.id, destination: row.id })
    await deps.db.transaction().execute((tx) => audit(tx, resource, { title }))
    try {
      const made = await askPlatform(deps, asked, (context) => lists.create(context, title))
      return { id: made.id, title: made.title, note: made.note }
    } catch (error) {
      kept.forget(row.id)
      const isOpen = before !== undefined && error instanceof RetryableError
      const [made] = isOpen ? ((await listsCalled(deps, kept, { asked, title })) ?? []) : []
      if (made !== undefined) return { id: made.id, title: made.title, note: made.note }
      throw conflict('LIST_NOT_CREATED', creationWords(error, deps))
    } finally {
      // After a timeout, the platform may still have created it.
      kept.forget(row.id)
    }
  }
