import { isDone } from '../../lib/browser/ui-store.ts'

/** The place where a step is done: a page, or a dialog that opens over the current page. */
export type StepPlace = { to: string } | { open: () => void }
export type Step = { id: string; title: string; text: string; place: StepPlace; done: boolean }

/**
 * The state of the workspace that decides which steps are complete. `people` is the number of members and open
 * invitations; undefined if the user cannot invite.
 */
export type Progress = {
  sources: number
  receiving: number
  destinations: number
  connections: number
  people: number | undefined
}

type Places = {
  addSource: string
  firstSource: string | undefined
  addDestination: string
  connect: string
  invite: () => void
}

/** The first steps of a new workspace, in order, and whether each is complete. */
export const gettingStarted = (state: Progress, places: Places): Step[] => [
  {
    id: 'source',
    title: 'Connect a source',
    text: 'Choose what sends your events.',
    place: { to: places.addSource },
    done: state.sources > 0,
  },
  {
    id: 'event',
    title: 'Send a first event',
    text: 'Copy the snippet with your key and watch it arrive.',
    place: { to: places.firstSource ?? places.addSource },
    done: state.receiving > 0,
  },
  {
    id: 'destination',
    title: 'Add a destination',
    text: 'Choose where to send your events.',
    place: { to: places.addDestination },
    done: state.destinations > 0,
  },
  {
    id: 'connection',
    title: 'Connect them',
    text: 'Events are delivered from then on.',
    place: { to: places.connect },
    done: state.connections > 0,
  },
  ...(state.people === undefined
    ? []
    : [
        {
          id: 'teammate',
          title: 'Invite a teammate',
          text: 'They see the same sources, destinations, and events.',
          place: { open: places.invite },
          done: state.people > 1,
        },
      ]),
]

/** The key of the flag that stores that the list was dismissed, or that one of its steps was completed. */
export const checklistFlag = (workspace: string, step?: string): string =>
  step === undefined ? `getting-started ${workspace}` : `getting-started ${workspace} ${step}`

/** Returns the steps to show. A step that was completed once stays complete, even if its object was deleted. */
export const remembered = (steps: readonly Step[], flags: Parameters<typeof isDone>[0], workspace: string): Step[] =>
  steps.map((step) => ({ ...step, done: step.done || isDone(flags, checklistFlag(workspace, step.id)) }))
