import { randomBytes } from 'node:crypto'
import { silentLogger } from '@tributary/kernel'
import { createCoordinationHub, groupOfPartition, partitionOf } from '@tributary/storage'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createGroupQuestions, GroupBeginning, GroupUnowned } from './group-questions.ts'
import type { GroupRole, OwnedGroups } from './owned-groups.ts'
import { createRoleGroups } from './role-groups.ts'

type Answer = (question: string, about: unknown, group?: number) => Promise<unknown>

const closing: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Starts processes that share one coordination hub; each owns some of the groups of delivery. */
const startWorld = (has: readonly (readonly number[])[], answer: Answer, running: () => boolean = () => true) => {
  const hub = createCoordinationHub()
  closing.push(() => hub.close())
  const epochs = new Map(has.flat().map((group) => [group, 1]))
  const processes = has.map((own) => {
    const thread = (role: GroupRole, group: number) =>
      role === 'delivery' && own.includes(group)
        ? { relay: (question: string, about: unknown) => answer(question, about, group), running }
        : undefined
    const epochOf = async (_role: GroupRole, group: number) => epochs.get(group)
    const questions = createGroupQuestions({ coordination: hub.coordination, thread, epochOf, logger: silentLogger })
    closing.push(questions.close)
    const role = createRoleGroups({
      role: 'delivery',
      groups: 3,
      partitions: 64,
      owned: { threads: () => [] } as unknown as OwnedGroups,
      start: async () => {},
      stop: async () => {},
      questions,
      places: async () => [],
      widestSpread: async (workspaceId) => (workspaceId === 'wide' ? 2 : 1),
    })
    return {
      questions,
      role,
      lose: (group: number) => epochs.delete(group),
      take: (group: number, epoch: number) => epochs.set(group, epoch),
    }
  })
  return { hub, processes }
}

const startProcesses = (...given: Parameters<typeof startWorld>) => startWorld(...given).processes

describe('questions to groups', () => {
  it('a question reaches the owner of the group, with bytes of any size and undefined values', async () => {
    const [, other] = startProcesses([[0], [1]], async (question, about) => ({ question, about }))
    const about = { entries: [{ body: randomBytes(3_000_000) }], stamp: undefined }
    const answered = (await other?.questions.relay('delivery', 0, 'append', about, 10_000)) as { about: typeof about }
    expect(answered.about).toStrictEqual(about)
    expect(Object.keys(answered.about)).toContain('stamp')
  })

  it("a question fails with the owner's error, and immediately if the group has no owner, another owner, or is starting", async () => {
    const asked: string[] = []
    const [one, two] = startProcesses([[0], []], (question) => {
      asked.push(question)
      return question === 'never' ? new Promise(() => {}) : Promise.reject(new Error('The disk is full'))
    })
    await expect(two?.questions.relay('delivery', 0, 'append', {}, 10_000)).rejects.toThrow('The disk is full')
    await expect(two?.questions.relay('delivery', 2, 'append', {}, 10_000)).rejects.toThrow(GroupUnowned)
    const waiting = expect(two?.questions.relay('delivery', 0, 'never', {}, 60_000)).rejects.toThrow(GroupUnowned)
    two?.lose(0)
    await waiting
    two?.take(0, 2)
    const gone = expect(two?.questions.relay('delivery', 0, 'never', {}, 60_000)).rejects.toThrow(GroupUnowned)
    two?.take(0, 3)
    await gone
    await expect(one?.questions.relay('delivery', 0, 'append', {}, 10_000)).rejects.toThrow('The disk is full')
    const [, later] = startProcesses(
      [[0], []],
      async () => 1,
      () => false,
    )
    await expect(later?.questions.relay('delivery', 0, 'append', {}, 60_000)).rejects.toThrow(GroupBeginning)
    expect(asked).toEqual(['append', 'never', 'never', 'append'])
  })

  it('responses of all groups are combined; a message that all must process fails while a group starts, not without an owner', async () => {
    const [first] = startProcesses([[0], [1]], async (question) =>
      question === 'needed' ? [{ partition: 1, offset: 2 }] : 'done',
    )
    await expect(first?.role.ask('needed')).rejects.toThrow(GroupUnowned)
    await expect(first?.role.ask('forget')).resolves.toBeUndefined()
    const [, begins] = startProcesses(
      [[0, 1, 2], []],
      async () => 'done',
      () => false,
    )
    await expect(begins?.role.ask('forget')).rejects.toThrow(GroupBeginning)
    await expect(begins?.role.ask('refresh')).resolves.toBeUndefined()
    // @ts-expect-error: its request names a workspace.
    await expect(first?.role.ask('retry', { destinationId: 'x' })).rejects.toThrow('names no workspace')
    // @ts-expect-error: delivery has no such message.
    await expect(first?.role.ask('whatever')).rejects.toThrow('no way')
    const [all] = startProcesses([[0, 2], [1]], async () => [{ partition: 1, offset: 2 }])
    expect(await all?.role.ask('needed')).toHaveLength(3)
  })

  it('a question gets no response from a process that does not support it, and an unknown response fails', async () => {
    const asked = vi.fn(async () => 'done')
    const { hub, processes } = startWorld([[0], []], asked)
    const [, two] = processes
    const sent: Record<string, unknown>[] = []
    hub.coordination.subscribe('groups.ask', (message) => sent.push(message as Record<string, unknown>))
    expect(await two?.questions.relay('delivery', 0, 'append', {}, 10_000)).toBe('done')
    // Sends the message as a process of the next version would.
    hub.coordination.publish('groups.ask', { ...sent[0], id: 'newer', v: 2 })
    hub.coordination.publish('groups.ask', { ...sent[0], id: 'not read', text: 'AAAA' })
    expect(await two?.questions.relay('delivery', 0, 'append', {}, 10_000)).toBe('done')
    expect(asked).toHaveBeenCalledTimes(2)
    asked.mockImplementationOnce(() => new Promise(() => {}))
    const waiting = expect(two?.questions.relay('delivery', 0, 'append', {}, 60_000)).rejects.toThrow('newer version')
    await vi.waitFor(() => expect(sent).toHaveLength(5))
    const { from, id } = sent[4] ?? {}
    hub.coordination.publish('groups.answer', { from: 'x', to: from, id, at: 0, count: 1, text: 'AAAA', v: 2 })
    await waiting
  })

  it('a question about a workspace goes to all groups with its data, and fails if one does not respond', async () => {
    const asked: number[] = []
    const [one, two] = startProcesses([[0, 2], [1]], async (_question, _about, group) => void asked.push(group ?? -1))
    const groupsAsked = async (workspaceId: string): Promise<number[]> => {
      asked.length = 0
      await one?.role.ask('retry', { workspaceId, destinationId: 'd' })
      return asked.toSorted()
    }
    const first = groupOfPartition(partitionOf('wide', 64), 3)
    expect(await groupsAsked('wide')).toEqual([first, (first + 1) % 3].toSorted())
    expect(await groupsAsked('narrow')).toEqual([groupOfPartition(partitionOf('narrow', 64), 3)])
    for (const group of [0, 1, 2]) two?.lose(group)
    await expect(groupsAsked('wide')).rejects.toThrow()
  })

  it('a question fails at its timeout without a response, and a failure to forget a deleted user is reported', async () => {
    const [, two] = startProcesses([[0, 1, 2], []], () => new Promise(() => {}))
    await expect(two?.questions.relay('delivery', 0, 'forget', undefined, 50)).rejects.toThrow('No answer')
    const [failing] = startProcesses([[0, 1, 2]], async () => Promise.reject(new Error('The store is away')))
    await expect(failing?.role.ask('forget')).rejects.toThrow('The store is away')
  })
})
