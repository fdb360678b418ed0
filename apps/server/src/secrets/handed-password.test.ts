import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { takeSettings } from './handed-password.ts'

const name = 'TRIBUTARY_ADMIN_PASSWORD'
const handedName = 'TRIBUTARY_ADMIN_PASSWORD_FROM'

test('a process with the password in its environment replaces itself, and reads the password from a private file', () => {
  const env: NodeJS.ProcessEnv = { [name]: 'a secret ü', PORT: '1' }
  let begun: NodeJS.ProcessEnv = {}
  takeSettings(env, (_, __, given) => void (begun = given))
  expect(env).toEqual({ PORT: '1' })
  const file = begun[handedName] ?? ''
  expect(begun).toEqual({ PORT: '1', [handedName]: file })
  expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700])
  const anew = { ...begun }
  expect(takeSettings(anew, () => expect.unreachable())).toEqual({ PORT: '1', [name]: 'a secret ü' })
  expect(anew).toEqual({ PORT: '1' })
  expect(existsSync(dirname(file))).toBe(false)
})

test('if a process cannot replace itself, its children do not get the password', () => {
  const env: NodeJS.ProcessEnv = { [name]: 'a secret', PORT: '1' }
  expect(takeSettings(env, undefined)).toEqual({ [name]: 'a secret', PORT: '1' })
  expect(env).toEqual({ PORT: '1' })
})

test.each([[{ PORT: '1' }], [{ PORT: '1', [name]: '' }]])('without a password no file is written: %j', (env) => {
  expect(takeSettings({ ...env }, () => expect.unreachable())).toEqual({ PORT: '1' })
})

test('if no file can be written, such as in a read-only container, the process still starts', () => {
  vi.stubEnv('TMPDIR', '/proc/no-such-folder')
  const env: NodeJS.ProcessEnv = { [name]: 'a secret', PORT: '1' }
  try {
    expect(takeSettings(env, () => expect.unreachable())).toEqual({ [name]: 'a secret', PORT: '1' })
  } finally {
    vi.unstubAllEnvs()
  }
  expect(env).toEqual({ PORT: '1' })
})

test('a password file in a folder that this process did not create is read, and the folder stays', () => {
  const folder = mkdtempSync(join(tmpdir(), 'secrets-'))
  try {
    const file = join(folder, 'password')
    writeFileSync(file, 'mounted')
    writeFileSync(join(folder, 'other'), 'kept')
    expect(takeSettings({ [handedName]: file }, () => expect.unreachable())).toEqual({ [name]: 'mounted' })
    expect(existsSync(join(folder, 'other'))).toBe(true)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
