// npm run dev: starts the server and restarts it after code changes, the web application with hot reload in front of
// it, and an OpenID provider for sign-in. If an OpenID provider is configured, it is used instead.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { startOpenIdProvider } from '@tributary/test-kit'

const root = join(import.meta.dirname, '..')
const port = process.env.PORT ?? '3000'
const provider =
  process.env.OIDC_CLIENT_ID === undefined
    ? await startOpenIdProvider({
        users: [
          { email: 'ada@example.com', givenName: 'Ada', familyName: 'Lovelace' },
          { email: 'grace@example.com', givenName: 'Grace', familyName: 'Hopper' },
          { email: 'unverified@example.com', emailVerified: false },
        ],
      })
    : undefined
const children = [
  spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--watch-preserve-output', '--watch', 'apps/server/src/main.ts'],
    {
      cwd: root,
      stdio: 'inherit',
      // Links in emails lead to the application with hot reload.
      env: {
        TRIBUTARY_ENVIRONMENT: 'development',
        TRIBUTARY_PUBLIC_URL: 'http://localhost:5173',
        ...(provider === undefined ? {} : { ...provider.env, OIDC_DISPLAY_NAME: 'the test provider' }),
        ...process.env,
        PORT: port,
      },
    },
  ),
  spawn(process.execPath, ['node_modules/vite/bin/vite.js', 'apps/web', '--config', 'apps/web/vite.config.ts'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TRIBUTARY_DEV_SERVER: `http://127.0.0.1:${port}` },
  }),
]
const stop = (): void => {
  for (const child of children) child.kill('SIGTERM')
  void provider?.[Symbol.asyncDispose]()
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
// Stops when the parent process has ended.
process.on('disconnect', stop)
for (const child of children) child.on('exit', stop)
