import { Info } from 'lucide-react'

/** Says that a destination is paused, and what becomes of its events. */
export const PausedNote = () => (
  <p className="flex items-start gap-2 rounded-lg bg-warning-soft px-4 py-2.5 text-sm text-warning-ink">
    <Info aria-hidden className="mt-0.5 size-4 shrink-0" />
    This destination is paused: its events are held, and delivered when it is resumed in its settings.
  </p>
)
