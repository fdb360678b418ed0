import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Names, noteSyncs, skipsPowerLoss } from '@tributary/test-kit'
import { expect, test } from 'vitest'

const here = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)))

const program = (dataDir: string): string => `
  import { loadMetricsToken } from ${here('./metrics-token.ts')}
  import { loadSecretKey } from ${here('./secret-key.ts')}
  import { createOutboxFolder } from ${here('../mail/outbox-folder.ts')}
  const dataDir = ${JSON.stringify(dataDir)}
  const made = [await loadSecretKey(dataDir), await loadMetricsToken(dataDir)]
  const outbox = createOutboxFolder({ folder: dataDir + '/outbox', from: 'a@example.com', forReading: false })
  await outbox.send({ id: 'mail', to: 'b@example.com', subject: 'Code', text: '123456', html: '<p>123456</p>' })
  process.stdout.write(made.join(' '), () => process.kill(process.pid, 'SIGKILL'))`

test.skipIf(skipsPowerLoss()).each<Names>(['journal', 'newest'])(
  'after a power loss, the secret key, the metrics token, and the outbox mail of the first start still exist (file names kept: %s)',
  (names) => {
    const root = mkdtempSync(join(tmpdir(), 'tributary-secrets-'))
    try {
      const dataDir = join(root, 'data')
      mkdirSync(dataDir)
      using synced = noteSyncs(dataDir, names)
      const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program(dataDir)]
      const { stdout, stderr } = spawnSync(process.execPath, args, {
        env: { PATH: process.env.PATH ?? '', ...synced.env },
        encoding: 'utf8',
      })
      expect(stderr).toBe('')
      const [key, token] = stdout.split(' ')
      const left = join(root, 'left')
      synced.losePower(left)
      expect(readFileSync(join(left, 'secret.key'), 'utf8')).toBe(`${key}\n`)
      expect(readFileSync(join(left, 'metrics.token'), 'utf8')).toBe(`${token}\n`)
      expect(readdirSync(join(left, 'outbox'))).toEqual(['mail.eml'])
      expect(readFileSync(join(left, 'outbox', 'mail.eml'), 'utf8')).toContain('123456')
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  },
)
