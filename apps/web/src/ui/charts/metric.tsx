import { Eye, EyeOff } from 'lucide-react'
import { toggleMask, useMask } from '../../lib/browser/ui-store.ts'
import { count } from '../../lib/format/text.ts'
import { Button } from '../button.tsx'
import { Tooltip } from '../overlays/tooltip.tsx'

/** A number of a metric, or four dots while values are hidden. */
export const MetricValue = ({ value }: { value: number }) => {
  const masked = useMask((state) => state.on)
  if (!masked) return count(value)
  return (
    <>
      <span aria-hidden>••••</span>
      <span className="sr-only">hidden</span>
    </>
  )
}

/** Masks the values of metrics, so that bystanders cannot read them, and shows them again. */
export const MaskToggle = () => {
  const masked = useMask((state) => state.on)
  const label = masked ? 'Show values' : 'Hide values'
  return (
    <Tooltip text={label}>
      <Button variant="none" square aria-label={label} aria-pressed={masked} onClick={toggleMask}>
        {masked ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
      </Button>
    </Tooltip>
  )
}
