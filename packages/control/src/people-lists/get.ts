import type { PeopleListFact } from '@tributary/connector-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import type { KeptAnswers } from './kept-answers.ts'
import { askPlatform, countQuestion, failureWords, type PeopleListDeps, peopleListsOf } from './people-lists-of.ts'

/** Maximum age of an answer, ms; and that of one that a user refreshes. */
export const maxFactsAgeMs = 15 * 60_000
const maxFreshAgeMs = 30_000

/** Maximum number of facts, and of characters of each. */
const maxFacts = 20
const maxCharacters = 500

/**
 * Returns the facts about a list of people from the platform, with the time of the answer. If the platform cannot be asked, the
 * response contains a message instead.
 */
export const getPeopleList =
  (deps: PeopleListDeps, kept: KeptAnswers<readonly PeopleListFact[]>): Handler<typeof methods.peopleLists.get> =>
  async ({ workspace, params, query }) => {
    const id = params.people_list
    if (!/^[A-Za-z0-9_-]{1,100}$/.test(id)) throw badRequest('VALIDATION', 'This is not the ID of a list')
    const asked = await peopleListsOf(deps, workspace.id, params.destination)
    const { row, lists } = asked
    await countQuestion(deps, workspace.id)
    const wanted = {
      key: `${row.id}/${id}`,
      version: row.update_time.getTime(),
      maxAgeMs: query.fresh === 'true' ? maxFreshAgeMs : maxFactsAgeMs,
    }
    try {
      const { value, time } = await kept.read(wanted, () =>
        askPlatform(deps, asked, (context) => lists.facts(context, id)),
      )
      const facts = value
        .slice(0, maxFacts)
        .map((fact) => ({ title: fact.title, value: fact.value.slice(0, maxCharacters).toWellFormed() }))
      return { facts, read_time: new Date(time).toISOString(), message: '' }
    } catch (error) {
      const message = failureWords(error, deps)
      return { facts: [], read_time: new Date(deps.clock()).toISOString(), message }
    }
  }
