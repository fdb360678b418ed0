import { newId, silentLogger } from '@tributary/kernel'
import { createCoordinationHub } from '@tributary/storage'
import { createTestDatabase } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { createPasswordThrottling, maxLogins } from './login.ts'
import { createCodeThrottling } from './login-otp.ts'
import { createLoginThrottling, type LoginThrottling } from './login-throttling.ts'
import { rememberPlace } from './sign-in-places.ts'

const signing = { codes: Buffer.alloc(32, 8), inbox: Buffer.alloc(32, 9) }
const minute = 60_000

/**
 * Makes an account that has signed in from 10.1.0.1 and from 10.2.0.1, and the dependencies that count its attempts.
 */
const startAccount = async () => {
  const database = await createTestDatabase()
  let now = Date.parse('2026-03-04T05:06:07Z')
  const hub = createCoordinationHub({ logger: silentLogger, now: () => now })
  const [userId, email] = [newId(), 'ada@example.com']
  await database.db.insertInto('users').values({ id: userId, email, password_hash: null }).execute()
  for (const ip of ['10.1.0.1', '10.2.0.1'])
    await database.db.transaction().execute((tx) => rememberPlace(tx, { userId, ip, time: new Date(now), signing }))
  const deps = { db: database.db, counters: hub.coordination, clock: () => now, signing }
  return {
    deps,
    email,
    advance: (ms: number) => {
      now += ms
    },
    /** Counts the attempts that are not refused. */
    async letThrough(throttling: LoginThrottling, tries: number, placeOf: (index: number) => string): Promise<number> {
      let passed = 0
      for (let index = 0; index < tries; index++)
        await throttling.enter(email, placeOf(index)).then(
          () => passed++,
          () => {},
        )
      return passed
    },
    async [Symbol.asyncDispose]() {
      await hub.close()
      await database.close()
    },
  }
}

const passwordsWithoutPause = (deps: Parameters<typeof createPasswordThrottling>[0]) =>
  createLoginThrottling(deps, {
    kind: 'login',
    free: { perEmailAndIp: 10, perEmail: 100, perIp: 200 },
    most: maxLogins,
    message: 'Too many',
    pause: async () => {},
  })

test('an account allows 100 passwords an hour at a network with an earlier sign-in, and as many in the next hour', async () => {
  await using account = await startAccount()
  const throttling = passwordsWithoutPause(account.deps)
  expect(await account.letThrough(throttling, 150, () => '10.1.0.1')).toBe(100)
  expect(await account.letThrough(throttling, 5, () => '10.1.0.1')).toBe(0)
  account.advance(61 * minute)
  expect(await account.letThrough(throttling, 150, () => '10.1.0.1')).toBe(100)
})

test('attempts used up at one known network do not affect another network', async () => {
  await using account = await startAccount()
  const throttling = passwordsWithoutPause(account.deps)
  await account.letThrough(throttling, 150, () => '10.1.0.1')
  expect(await account.letThrough(throttling, 1, () => '10.2.0.1')).toBe(1)
})

test('an attacker from a thousand networks has 100 attempts an hour, however long each waits', async () => {
  await using account = await startAccount()
  const throttling = passwordsWithoutPause(account.deps)
  let passed = 0
  for (let round = 0; round < 59; round++) {
    passed += await account.letThrough(throttling, 20, (index) => `192.0.${round}.${index}`)
    account.advance(minute)
  }
  expect(passed).toBeLessThanOrEqual(maxLogins.elsewhere)
})

test('attempts used up elsewhere in an hour block no known network, and no mailed code anywhere', async () => {
  await using account = await startAccount()
  const passwords = passwordsWithoutPause(account.deps)
  const codes = createCodeThrottling(account.deps)
  for (let round = 0; round < 30; round++) {
    await account.letThrough(passwords, 20, (index) => `192.0.${round}.${index}`)
    await account.letThrough(codes, 20, (index) => `192.0.${round}.${index}`)
    account.advance(2 * minute - 1)
  }
  expect(await account.letThrough(passwords, 1, () => '198.51.100.7')).toBe(0)
  expect(await account.letThrough(passwords, 10, () => '10.1.0.1')).toBe(10)
  expect(await account.letThrough(codes, 1, () => '198.51.100.7')).toBe(1)
  expect(await account.letThrough(codes, 1, () => '10.1.0.1')).toBe(1)
})
