import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type BoardPlace,
  boundToWork,
  createThreadBoard,
  freeBoardPlace,
  inWork,
  itemOf,
  joinThreadBoard,
  noteWork,
  readThreadBoard,
  resumeWork,
  setHeldWork,
  WorkHeld,
  workOfCall,
} from './thread-board.ts'

const board = createThreadBoard()
let place: BoardPlace
beforeEach(() => {
  place = joinThreadBoard('tests')
})
afterEach(() => {
  place.leave()
  setHeldWork(new Map())
})
const own = () => readThreadBoard(board).find(({ name }) => name === 'tests')

test('a thread stays on the board until it leaves or is removed; it is watched from `watch` until `pause`', () => {
  expect(own()).toMatchObject({ isWatched: false, isReplaceable: false, work: undefined })
  place.watch()
  expect(own()?.isWatched).toBe(true)
  place.pause()
  expect(own()?.isWatched).toBe(false)
  freeBoardPlace(board, own()?.threadId ?? -1)
  expect(own()).toBeUndefined()
})

test("the board shows a thread's work until the thread notes other work or its event loop turns", async () => {
  noteWork('pipeline.steps', 'w1', 'request 1\n2')
  expect(own()?.work).toEqual({ step: 'pipeline.steps', workspaceId: 'w1', item: 'request 1\n2' })
  noteWork('collect', 'w2', '')
  expect(own()?.work).toEqual({ step: 'collect', workspaceId: 'w2', item: '' })
  await nextTurn()
  expect(own()?.work).toBeUndefined()
})

test('a thread with a single permanent task keeps its note, and workOfCall returns the work of its call', async () => {
  const note = { step: 'files.read', workspaceId: 'w1', item: 'job a' }
  place.keepWork(note)
  await nextTurn()
  expect(own()?.work).toEqual(note)
  expect(own()?.isOnlyNamed).toBe(false)
  expect(workOfCall()).toBeUndefined()
  expect(inWork(note, () => workOfCall())).toEqual(note)
  place.leave()
  place = joinThreadBoard('tests', { isOnlyNamed: true })
  expect(own()).toMatchObject({ isOnlyNamed: true, isReplaceable: false, work: undefined })
})

test('if two calls alternate, the board shows the call that resumed', async () => {
  const seen: (string | undefined)[] = []
  const call = (item: string, turns: number): Promise<void> =>
    inWork({ step: 'call', workspaceId: '', item }, async () => {
      for (let turn = 0; turn < turns; turn++) {
        await nextTurn()
        resumeWork()
        seen.push(own()?.work?.item)
      }
      const bound = boundToWork(() => own()?.work?.item)
      await nextTurn()
      seen.push(bound())
    })
  await Promise.all([call('a', 1), call('b', 2)])
  expect(seen.toSorted()).toEqual(['a', 'a', 'b', 'b', 'b'])
})

test('a held item is rejected with its reason, but work that has begun continues', async () => {
  await inWork({ step: 'call', workspaceId: '', item: 'a' }, async () => {
    setHeldWork(new Map([['a', 'It blocked the thread']]))
    await nextTurn()
    resumeWork()
  })
  expect(() => noteWork('call', '', 'a')).toThrow(WorkHeld)
  expect(() => inWork({ step: 'call', workspaceId: '', item: 'a' }, () => {})).toThrow('It blocked the thread')
  noteWork('call', '', 'b')
})

test.each([
  ['short ones are themselves', 'call sources.list /api/workspaces/w/sources', true],
  ['long ones end in a hash', `call sources.list /api/workspaces/w/sources?filter=${'x'.repeat(5000)}`, false],
])('names of items have a limited length, and different texts have different names: %s', (_title, text, isSame) => {
  expect(itemOf(text) === text).toBe(isSame)
  expect(itemOf(text).length).toBeLessThanOrEqual(200)
  expect(itemOf(text)).toBe(itemOf(text))
  expect(itemOf(text)).not.toBe(itemOf(`${text}y`))
  noteWork('step', 'w', itemOf(text))
  expect(own()?.work?.item).toBe(itemOf(text))
})
