import { FlaskConical } from 'lucide-react'
import { useConfig } from '../../lib/config.ts'

/** Shows on each billing page that payments use the sandbox. Shows nothing if they do not. */
export const SandboxNote = () =>
  useConfig()?.payment === 'sandbox' && (
    <p className="flex items-start gap-2 rounded-md bg-warning-soft px-3 py-2 text-sm text-warning-ink">
      <FlaskConical aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span>Sandbox: no money is moved. Only test cards work.</span>
    </p>
  )
