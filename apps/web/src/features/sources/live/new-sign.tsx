import type { Compatibility } from '@tributary/contract'
import { compatibilityWords } from '../../../lib/events/compatibility-words.ts'
import { Badge } from '../../../ui/badge.tsx'

/** Shows that an incompatible event is new, not wrong, because its schema has no such event; otherwise nothing. */
export const NewSign = ({ compatibility }: { compatibility: Compatibility | undefined }) => {
  if (compatibility !== 'incompatible') return null
  const { title, short, text, tone } = compatibilityWords.incompatible
  return (
    // In a narrow space only the icon beside it is shown.
    <Badge tone={tone} title={`${title}: ${text}`} className="@max-lg:hidden">
      {short}
    </Badge>
  )
}
