import type { Compatibility } from '@tributary/contract'
import { compatibilityWords } from '../../../lib/events/compatibility-words.ts'
import { Badge } from '../../../ui/badge.tsx'

/**
 * Shows that an incompatible event is new rather than wrong, because the schema has no such event. Shows nothing for
 * other events.
 */
export const NewSign = ({ compatibility }: { compatibility: Compatibility | undefined }) => {
  if (compatibility !== 'incompatible') return null
  const { title, short, text, tone } = compatibilityWords.incompatible
  return (
    // In a narrow space, the text is hidden and only the icon is shown.
    <Badge tone={tone} title={`${title}: ${text}`} className="@max-lg:hidden">
      {short}
    </Badge>
  )
}
