// npm run dev: the server, started again when its code changes, and the web application with hot reload in front of it.
import { spawn } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const port = process.env.PORT ?? '3000'
const children = [
  spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--watch-preserve-output', '--watch', 'apps/server/src/main.ts'],
    {
      cwd: root,
      stdio: 'inherit',
      // Links in mail lead to the application with hot reload.
      env: {
        TRIBUTARY_ENVIRONMENT: 'development',
        TRIBUTARY_PUBLIC_URL: 'http://localhost:5173',
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
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
for (const child of children) child.on('exit', stop)
