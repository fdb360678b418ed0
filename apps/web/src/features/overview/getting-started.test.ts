import { expect, test } from 'vitest'
import { checklistFlag, gettingStarted, type Progress, remembered } from './getting-started.ts'

const invite = (): void => undefined
const places = {
  addSource: '/add-source',
  firstSource: undefined,
  addDestination: '/add-destination',
  connect: '/connect',
  invite,
}
const nothing: Progress = { sources: 0, receiving: 0, destinations: 0, connections: 0, people: 1 }
const doneOf = (state: Partial<Progress>): string[] =>
  gettingStarted({ ...nothing, ...state }, places)
    .filter(({ done }) => done)
    .map(({ id }) => id)

test('a new workspace lists its first steps in order, and none is complete', () => {
  const steps = gettingStarted(nothing, places)
  expect(steps.map(({ title }) => title)).toEqual([
    'Connect a source',
    'Send a first event',
    'Add a destination',
    'Connect them',
    'Invite a teammate',
  ])
  expect(doneOf({})).toEqual([])
})

test.each([
  [{ sources: 1 }, ['source']],
  [{ sources: 1, receiving: 1 }, ['source', 'event']],
  [{ destinations: 2, connections: 1 }, ['destination', 'connection']],
  [{ people: 2 }, ['teammate']],
])('with %j, the completed steps are %j', (state, done) => {
  expect(doneOf(state)).toEqual(done)
})

test('a user who cannot invite has no invitation step', () => {
  expect(gettingStarted({ ...nothing, people: undefined }, places).map(({ id }) => id)).not.toContain('teammate')
})

test('the first event is sent from the set-up page of the first source, if there is one', () => {
  const placeOf = (firstSource: string | undefined) => gettingStarted(nothing, { ...places, firstSource })[1]?.place
  expect(placeOf(undefined)).toEqual({ to: '/add-source' })
  expect(placeOf('/source#setup')).toEqual({ to: '/source#setup' })
})

test('a completed step stays complete, but only in this workspace', () => {
  const flags = { [checklistFlag('workspaces/w1', 'source')]: { done: true } }
  const done = (workspace: string) =>
    remembered(gettingStarted(nothing, places), flags, workspace).filter((step) => step.done)
  expect(done('workspaces/w1').map(({ id }) => id)).toEqual(['source'])
  expect(done('workspaces/w2')).toEqual([])
})
