import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { errors, line, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { pathNames, pathOf } from '../rules/conditions.ts'
import { personDataKinds, personPathMistake } from './person-data.ts'

/** Maximum paths of one kind of data. */
export const maxPersonPaths = 20

/** Days of events that `personDataPlaces.count` looks at, and the maximum number of events that it reads. */
export const personDataCountLimits = { days: 7, events: 5000 } as const

const personPath = line(300)
  .min(1, 'Required')
  .superRefine((path, context) => {
    const message = personPathMistake(path)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })

const personPaths = z
  .array(z.string())
  // More paths are refused before one of them is read.
  .max(maxPersonPaths, `At most ${maxPersonPaths} paths`)
  .pipe(z.array(personPath))
  .superRefine((paths, context) => {
    const listed = new Set<string>()
    for (const [index, path] of paths.entries()) {
      const key = pathOf(pathNames(path))
      if (listed.has(key)) context.addIssue({ code: 'custom', message: 'This path is listed already', path: [index] })
      listed.add(key)
    }
  })

const allKinds = <Value extends z.ZodType>(value: Value) =>
  z.object(
    Object.fromEntries(personDataKinds.map(({ kind }) => [kind, value])) as Record<
      (typeof personDataKinds)[number]['kind'],
      Value
    >,
  )

const givenPlaces = allKinds(personPaths).partial()

const kind = z.enum(personDataKinds.map((each) => each.kind))

const places = z.object({
  /** `workspaces/{id}/personDataPlaces`. */
  name: z.string(),
  /** The paths of each kind of data, in their order. */
  places: allKinds(z.array(z.string())),
  /** The kinds whose paths are not the defaults. */
  changed: z.array(kind),
  /** Increases with each change; 0 while the paths are the defaults. */
  revision: z.number().int(),
  /** The time of the last change; null while no one has changed the paths. */
  update_time: time.nullable(),
})
export type PersonDataPlaces = z.infer<typeof places>

const counts = z.object({
  /** The period of receipt. It ends at the time of the count. */
  start_time: time,
  end_time: time,
  /** The accepted events of the period, without test events. */
  events: z.number().int(),
  /** How many of them were read: all, or a random sample. */
  counted: z.number().int(),
  kinds: z.array(
    z.object({
      kind,
      /** How many of the read events have a value at one of the paths of the event. */
      found: z.number().int(),
      paths: z.array(
        z.object({
          path: z.string(),
          /** How many of the read events have a value at the path; null for a path of the profile. */
          events: z.number().int().nullable(),
        }),
      ),
    }),
  ),
  /** The most frequent paths of texts and numbers in the read events, with the number of events, for suggestions. */
  received: z.array(z.object({ path: z.string(), events: z.number().int() })),
})
export type PersonDataCounts = z.infer<typeof counts>

export const personDataPlaces = {
  get: defineMethod({
    name: 'personDataPlaces.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/personDataPlaces',
    access: workspaceMembers,
    summary: 'Gets the paths at which a workspace has the data of people, by kind and in order.',
    response: places,
    errors: [errors.notFound],
  }),
  update: defineMethod({
    name: 'personDataPlaces.update',
    verb: 'PUT',
    path: '/workspaces/{workspace}/personDataPlaces',
    access: workspaceEditors,
    followedBy: ['delivery', 'signals'],
    summary:
      'Replaces the paths of people’s data. Kinds that are left out get the defaults. Applies from the next event.',
    request: z.object({
      places: givenPlaces,
      /** The revision that the change is based on; without it, the last save wins. */
      revision: z.number().int().optional(),
    }),
    response: places,
    errors: [
      errors.invalid,
      errors.forbidden,
      errors.notFound,
      { code: 409, reason: 'PLACES_CHANGED', when: 'The paths changed since `revision`.' },
    ],
  }),
  count: defineMethod({
    name: 'personDataPlaces.count',
    verb: 'POST',
    path: '/workspaces/{workspace}/personDataPlaces:count',
    access: workspaceMembers,
    reads: true,
    summary: "Counts last week's events that have a value at each path, from a random sample of at most 5,000 events.",
    request: z.object({
      /** Paths that are not saved yet; the saved ones if absent. */
      places: givenPlaces.optional(),
    }),
    response: counts,
    errors: [errors.invalid, errors.notFound, errors.unavailable],
  }),
}
