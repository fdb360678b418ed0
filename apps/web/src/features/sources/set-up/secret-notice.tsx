import type { Source } from '@tributary/contract'
import { KeyRound } from 'lucide-react'
import { paths } from '../../../lib/paths.ts'
import { ButtonLink } from '../../../ui/button.tsx'

/** Shows that a source cannot accept events yet, because the secret for signatures is not set. */
export const SecretNotice = ({ source }: { source: Source }) => {
  const missing = source.app.settings.find(({ name, is_set }) => name === 'signing_secret' && !is_set)
  if (missing === undefined) return null
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-lg border border-warning/40 bg-warning-soft px-4 py-3 text-sm text-warning-ink">
      <KeyRound aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 flex-1">
        The {missing.display_name.toLowerCase()} is not set yet, so every delivery is refused. The guide below explains
        where to find it.
      </p>
      <ButtonLink size="sm" to={paths.source(source.name, 'settings')}>
        Set it
      </ButtonLink>
    </div>
  )
}
