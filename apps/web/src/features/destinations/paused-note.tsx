import type { Destination } from '@tributary/contract'
import { Info, Play } from 'lucide-react'
import { useMayEdit } from '../../lib/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { useUpdateDestination } from './mutations.ts'

/**
 * Shows on every tab that a destination is paused and what happens to its events, with a button that resumes it.
 * Nothing while it is enabled.
 */
export const PausedNote = ({ destination }: { destination: Destination }) => {
  const mayEdit = useMayEdit() === true
  const update = useUpdateDestination(destination)
  if (destination.enabled) return null
  return (
    <div className="mb-5 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-warning/50 bg-warning-soft px-4 py-3 text-sm">
      <Info aria-hidden className="size-4 shrink-0 text-warning-ink" />
      <p className="min-w-0 flex-1 basis-60 text-ink">
        This destination is paused. Its events are held and delivered when you resume it.
      </p>
      {mayEdit && (
        <Button size="sm" loading={update.isPending} onClick={() => update.mutate({ enabled: true })}>
          <Play aria-hidden />
          Resume
        </Button>
      )}
    </div>
  )
}
