import type { Compatibility } from '@tributary/contract'
import { compatibilityWords } from '../../../lib/events/compatibility-words.ts'
import { Badge } from '../../../ui/badge.tsx'

/** Says of an event that is incompatible because its schema has no such event that it is new, not wrong; else nothing. */
export const NewSign = ({ compatibility }: { compatibility: Compatibility | undefined }) => {
  if (compatibility !== 'incompatible') return null
  const { title, short, text, tone } = compatibilityWords.incompatible
  return (
    // Where there is little room, the icon beside it says it alone.
    <Badge tone={tone} title={`${title}: ${text}`} className="@max-lg:hidden">
      {short}
    </Badge>
  )
}
