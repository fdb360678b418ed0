import { z } from 'zod'
import { workspaceEditors } from '../api/access.ts'
import { errors, line, nextPageToken, pageQuery, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'

/** A list of people at the platform of a destination, such as a Custom Audience. */
export const peopleList = z.object({
  /** The ID at the platform, which settings and syncs name. */
  id: z.string(),
  title: z.string(),
  /** What distinguishes it from others with the same title; may be ''. */
  note: z.string(),
})
export type PeopleList = z.infer<typeof peopleList>

const notPossible = [
  { code: 400, reason: 'NO_PEOPLE_LISTS', when: 'The destination has no lists of people.' },
  errors.forbidden,
  errors.notFound,
  { code: 409, reason: 'SECRETS_UNREADABLE', when: 'Its secrets were encrypted with another secret key.' },
  errors.tooMany,
]

export const peopleLists = {
  list: defineMethod({
    name: 'peopleLists.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/destinations/{destination}/peopleLists',
    access: workspaceEditors,
    places: 'abroad',
    summary:
      'Lists the lists of people at the platform of a destination, by title. `search` keeps those whose title contains each of its words, or whose ID begins with it. `message` names the cause of a failure.',
    query: pageQuery.extend({ search: line(200).default('') }),
    response: z.object({
      people_lists: z.array(peopleList),
      next_page_token: nextPageToken,
      /** Why the platform could not be asked, or that only a part of its lists was read; '' otherwise. */
      message: z.string(),
    }),
    errors: [errors.invalid, ...notPossible],
  }),
  get: defineMethod({
    name: 'peopleLists.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/destinations/{destination}/peopleLists/{people_list}',
    access: workspaceEditors,
    places: 'abroad',
    summary:
      'Gets what the platform says of a list of people, such as how many of them it matched. An answer is kept for 15 minutes. `fresh` asks again, at most once in 30 seconds. `message` names the cause of a failure.',
    query: z.object({ fresh: z.enum(['true', 'false']).default('false') }),
    response: z.object({
      facts: z.array(z.object({ title: z.string(), value: z.string() })),
      /** When the platform was asked. */
      read_time: time,
      /** Why the platform could not be asked; '' otherwise. */
      message: z.string(),
    }),
    errors: [errors.invalid, ...notPossible],
  }),
  create: defineMethod({
    name: 'peopleLists.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations/{destination}/peopleLists',
    access: workspaceEditors,
    places: 'abroad',
    summary:
      'Creates an empty list of people at the platform of a destination. A title that the account has is refused, so repeating the call creates no other list. The setting of the destination stays as it is.',
    request: z.object({ title: line(255).min(1, 'Required') }),
    response: peopleList,
    errors: [
      errors.invalid,
      ...notPossible,
      { code: 409, reason: 'LIST_EXISTS', when: 'The account has a list with this title.' },
      {
        code: 409,
        reason: 'LIST_NOT_CREATED',
        when: 'The platform did not create the list, or did not say whether it did; the message says which.',
      },
    ],
  }),
}
