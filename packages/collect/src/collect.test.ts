import { LogUnavailable } from '@tributary/storage'
import { describe, expect, test } from 'vitest'
import type { WorkspaceSpread, WorkspaceSpreads } from './ports.ts'
import { basic, liveKey, otherKey, type RunningCollect, revokedKey, startCollect } from './testing/server.ts'

const key = { authorization: basic(liveKey) }
const track = { userId: 'u1', event: 'Paid' }
const json = JSON.stringify

describe('overload', () => {
  const answerOf = async (other: RunningCollect, path = '/v1/track'): Promise<[number, string | null, string]> => {
    const response = await fetch(`${other.origin}${path}`, { method: 'POST', body: json(track), headers: key })
    const body: { reason: string } = await response.json()
    return [response.status, response.headers.get('retry-after'), body.reason]
  }

  test.each([
    ['the disk refuses', new LogUnavailable('disk'), 'LOG_UNAVAILABLE'],
    ['something unknown happens', new Error('secret detail'), 'LOG_UNAVAILABLE'],
  ])('collection gives 503 with Retry-After if %s, and then recovers', async (_, error, reason) => {
    const other = await startCollect()
    other.faults.failWith = error
    expect(await answerOf(other)).toEqual([503, '5', reason])
    delete other.faults.failWith
    expect((await answerOf(other).catch(() => [200]))[0]).toBe(200)
    await other.stop()
  })

  test.each([
    ['the disk is nearly full', { diskOk: () => false }, 'STORAGE_FULL'],
    [
      'the keys are not there yet',
      { keys: { find: () => undefined, findRevoked: () => undefined, ready: () => false } },
      'STARTING',
    ],
    ['too many bodies are in memory', { settings: { bufferedBytes: 10 } }, 'OVERLOADED'],
  ])('collection gives 503 with Retry-After if %s', async (_, options, reason) => {
    const other = await startCollect(options)
    expect(await answerOf(other)).toEqual([503, '5', reason])
    await other.stop()
    expect(other.refused).toEqual([])
  })

  test('collection gives 503 with Retry-After if the log has reached its maximum', async () => {
    const other = await startCollect({}, 10)
    expect(await answerOf(other)).toEqual([503, '5', 'OVERLOADED'])
    await other.stop()
    expect(other.refused).toEqual([])
  })

  test("collection gives 429 with Retry-After beyond a workspace's share, until the pipeline has caught up", async () => {
    const other = await startCollect({ settings: { quotaBytes: 50 } })
    const status = async (): Promise<number> =>
      (await fetch(`${other.origin}/v1/track`, { method: 'POST', body: json(track), headers: key })).status
    expect([await status(), await status()]).toEqual([200, 200])
    expect(await answerOf(other)).toEqual([429, '5', 'WORKSPACE_BACKLOG'])
    const limited = await fetch(`${other.origin}/v1/track`, { method: 'POST', body: json(track), headers: key })
    expect(
      ['ratelimit-remaining', 'ratelimit-reset', 'x-ratelimit-reset'].map((name) => limited.headers.get(name)),
    ).toEqual(['0', '5', '5'])
    other.coordination.publish('pipeline.positions', [2])
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429])
    await other.stop()
    expect(other.refused).toMatchObject([{ sourceId: 's1', reason: 'WORKSPACE_BACKLOG', code: 429, count: 3 }])
  })

  test('after collection stops, every call gets 503', async () => {
    const other = await startCollect()
    await other.collect.stop()
    expect(await answerOf(other)).toEqual([503, '5', 'STOPPING'])
    await other.stop()
  })
})

describe('a workspace that is spread over several partitions', () => {
  const users = Array.from({ length: 20 }, (_, n) => `u-${n}`)
  const body = json({ batch: users.map((userId) => ({ type: 'track', event: 'Paid', userId, messageId: userId })) })
  /** Creates spreads in which only the first workspace is spread over several partitions. */
  const spreading = (spread: () => WorkspaceSpread): WorkspaceSpreads => ({
    of: (workspaceId) => (workspaceId === 'w1' ? spread() : undefined),
    changes: () => [spread().change ?? []].flat(),
  })
  const spread: WorkspaceSpread = { partitions: [2, 3, 0] }
  const spreads = spreading(() => spread)
  const send = (other: RunningCollect, key = liveKey): Promise<Response> =>
    fetch(`${other.origin}/v1/batch`, { method: 'POST', body, headers: { authorization: basic(key) } })
  const usersIn = async (other: RunningCollect): Promise<string[][]> =>
    (await other.entries()).map((record) =>
      (JSON.parse(Buffer.from(record.body).toString()) as { batch: { userId: string }[] }).batch.map(
        ({ userId }) => userId,
      ),
    )

  test("a spread workspace has all events of a user in one partition, and other workspaces' requests are not split", async () => {
    const other = await startCollect({ spreads }, 2 ** 26, 4)
    expect((await send(other)).status).toBe(200)
    expect((await other.entries()).map(({ partition }) => partition)).toEqual([0, 2, 3])
    expect((await usersIn(other)).flat().toSorted()).toEqual(users.toSorted())
    expect((await send(other, otherKey)).status).toBe(200)
    const [whole] = (await other.entries()).filter(({ key: owner }) => owner === 'w2')
    expect(Buffer.from(whole?.body ?? []).toString()).toBe(body)
    await other.stop()
  })

  test('a spread workspace gets 200 only if all parts are in the log, and its quota counts only the parts in the log', async () => {
    const other = await startCollect({ spreads, settings: { quotaBytes: body.length } }, 2 ** 26, 4)
    Object.assign(other.faults, { failWith: new LogUnavailable('disk'), failIn: 3 })
    const refused = await send(other)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect((await other.entries()).map(({ partition }) => partition)).toEqual([0, 2])
    delete other.faults.failWith
    const gate = Promise.withResolvers<void>()
    other.faults.hold = gate.promise
    let answered = 0
    const sending = send(other).then(({ status }) => {
      answered = status
    })
    await expect.poll(async () => (await other.entries()).length).toBe(5)
    expect(answered).toBe(0)
    gate.resolve()
    await sending
    expect(answered).toBe(200)
    expect((await send(other)).status).toBe(429)
    other.coordination.publish('pipeline.positions', [9, 9, 9, 9])
    expect((await send(other)).status).toBe(200)
    await other.stop()
  })

  test('a workspace waits while its spread changes and then uses the new partitions; other workspaces continue', async () => {
    let now: WorkspaceSpread = { partitions: [2], change: 'w1 1' }
    const other = await startCollect({ spreads: spreading(() => now) }, 2 ** 26, 4)
    const waiting = send(other)
    expect((await send(other, otherKey)).status).toBe(200)
    expect(await other.entries()).toHaveLength(1)
    await expect.poll(() => other.collect.paused()).toEqual(['w1 1'])
    now = spread
    expect((await waiting).status).toBe(200)
    const own = (await other.entries()).filter(({ key: owner }) => owner === 'w1')
    expect(own.map(({ partition }) => partition)).toEqual([0, 2, 3])
    await other.stop()
  })
})

describe('counted rejections', () => {
  test('rejections are counted by source or key, and the sample contains no credential', async () => {
    const other = await startCollect()
    const send = (body: string, headers: Record<string, string>, path = '/v1/track'): Promise<Response> =>
      fetch(`${other.origin}${path}`, { method: 'POST', body, headers })
    const secret = { userId: 'u1', password: 'hunter2', properties: { api_key: 'AK-77', shown: 'visible' } }
    await send(json({ ...secret, writeKey: liveKey }), {})
    await send(json({ ...secret, writeKey: liveKey }), {})
    await send(json(track), { authorization: basic('nobody-knows-this') })
    await send(json(track), { authorization: basic(revokedKey) })
    await send(`{"writeKey":"${liveKey}","token":"abc`, {}, `/v1/track?writeKey=${liveKey}`)
    await send(json(track), key)
    await other.stop()
    const rows = other.refused.map(({ sourceId, keyHint, reason, code, count }) => [
      sourceId,
      keyHint,
      reason,
      code,
      count,
    ])
    expect(rows).toEqual([
      ['s1', '', 'MISSING_FIELD', 400, 2],
      [null, 'nobo…', 'WRITE_KEY_UNKNOWN', 401, 1],
      ['s1', '', 'WRITE_KEY_REVOKED', 401, 1],
      ['s1', '', 'INVALID_JSON', 400, 1],
    ])
    expect(other.touched.map((use) => use.keyId)).toEqual(['k1'])
    const samples = other.refused.map((row) => row.sample).join(' ')
    expect(samples).toContain('visible')
    for (const hidden of [liveKey, revokedKey, 'hunter2', 'AK-77', 'nobody-knows-this', 'abc', 'Basic'])
      expect(samples).not.toContain(hidden)
    for (const row of other.refused) expect(row.sample.length).toBeLessThanOrEqual(2000)
  })

  test('counts of rejections use limited memory while the database is unavailable, and are written afterwards', async () => {
    const written: [string, number][] = []
    let away = true
    const other = await startCollect({
      refusals: {
        async write(rows) {
          if (away) throw new Error('away')
          for (const row of rows) written.push([row.keyHint, row.count])
        },
        async touchWriteKeys() {},
      },
      settings: { flushMs: 5 },
    })
    for (let i = 0; i < 300; i++) {
      await fetch(`${other.origin}/v1/track`, {
        method: 'POST',
        body: json(track),
        headers: { 'x-write-key': `${1000 + i}-unknown` },
      })
    }
    away = false
    await other.stop()
    expect(written.reduce((sum, [, count]) => sum + count, 0)).toBe(300)
    expect(new Set(written.map(([hint]) => hint)).size).toBe(201)
    expect(written.find(([hint]) => hint === '*')?.[1]).toBe(100)
  })
})

describe('durability', () => {
  const held = async (): Promise<{ other: RunningCollect; confirm: () => void }> => {
    const other = await startCollect()
    let confirm = (): void => {}
    other.faults.hold = new Promise((resolve) => {
      confirm = resolve
    })
    return { other, confirm }
  }
  const send = (other: RunningCollect): Promise<Response> =>
    fetch(`${other.origin}/v1/track`, { method: 'POST', body: json(track), headers: key })

  test('no request is acknowledged before the log confirms its record', async () => {
    const { other, confirm } = await held()
    let answered = false
    const answer = send(other).then((response) => {
      answered = true
      return response.status
    })
    await expect.poll(async () => (await other.entries()).length).toBe(1)
    await fetch(`${other.origin}/v1/m`, { method: 'POST' })
    expect(answered).toBe(false)
    confirm()
    expect(await answer).toBe(200)
    await other.stop()
  })

  test('stopping collection waits for records on their way to the disk, and their responses close the connections', async () => {
    const { other, confirm } = await held()
    const answer = send(other)
    await expect.poll(async () => (await other.entries()).length).toBe(1)
    let stopped = false
    const stopping = other.collect.stop().then(() => {
      stopped = true
    })
    await fetch(`${other.origin}/v1/m`, { method: 'POST' })
    expect(stopped).toBe(false)
    confirm()
    expect((await answer).status).toBe(200)
    await stopping
    expect((await send(other)).headers.get('connection')).toBe('close')
    await other.stop()
  })
})
