import { RetryableError, type Settings } from '@tributary/connector-kit'
import { runWithContext } from '@tributary/connector-kit/testing'
import { expect, it } from 'vitest'
import { sftp } from '../../destinations/sftp/definition.ts'
import { keepConnections } from './kept-connection.ts'

it('an abort while a connection is being opened closes it, and no work begins', async () => {
  const interruption = new AbortController()
  const closed: string[] = []
  const use = keepConnections<Settings, string>({
    open: async () => {
      interruption.abort()
      return 'a'
    },
    close: async (session) => void closed.push(session),
    failed: (error) => error as Error,
  })
  const settings = { host: 'sftp.example', user: 'ada', password: 'secret-1' }
  await runWithContext(sftp, settings, async (context) => {
    const used = use({ ...context, signal: interruption.signal }, () => Promise.reject(new Error('Work began')))
    await expect(used).rejects.toThrow(RetryableError)
    expect(closed).toEqual(['a'])
  })
})
