import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type Destination, type DestinationMappings, methods } from '@tributary/contract'
import { PackagePlus } from 'lucide-react'
import { call } from '../../../lib/api/client.ts'
import { failureText } from '../../../lib/api/errors.ts'
import { destinationIds } from '../../../lib/format/names.ts'
import { pluralise } from '../../../lib/format/text.ts'
import { track } from '../../../lib/integrations/analytics.ts'
import { mappingsQuery } from '../../../lib/queries/mapping-queries.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { notify } from '../../../ui/overlays/toast.tsx'

type NewPreset = DestinationMappings['new_presets'][number]

/** Returns the events of a preset in a few words. */
const eventsOf = ({ event_name, event_type }: NewPreset): string =>
  event_name !== '' ? event_name : event_type === '' ? 'all events' : `${event_type} calls`

/** Says which presets the app of a destination got after the destination, and adds them for those who may edit. */
export const NewPresets = ({
  destination,
  server: { new_presets: presets, is_preset, revision },
  onAdded,
}: {
  destination: Destination
  server: DestinationMappings
  /** Called after the presets were added; undefined for users who may not add them. */
  onAdded: (() => void) | undefined
}) => {
  const cache = useQueryClient()
  const add = useMutation({
    mutationFn: () =>
      call(methods.mappings.addPresets, { params: destinationIds(destination.name), body: { revision } }),
    onSuccess: (updated) => {
      cache.setQueryData(mappingsQuery(destination.name).queryKey, updated)
      track('Destination Updated', { destination: destination.name, fields: ['mappings'] })
      notify('success', 'Presets Added')
      onAdded?.()
    },
    onError: () => cache.invalidateQueries({ queryKey: mappingsQuery(destination.name).queryKey }),
  })
  if (presets.length === 0) return null
  return (
    <section
      aria-label="New presets"
      className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-lg border border-line bg-surface px-4 py-3 text-sm shadow-card"
    >
      <PackagePlus aria-hidden className="size-4 shrink-0 text-ink-2 max-sm:hidden" />
      <div className="min-w-0 flex-1 basis-64 space-y-1">
        <p>
          <span className="font-medium">
            {presets.length} new {pluralise(presets.length, 'preset')} {presets.length === 1 ? 'is' : 'are'} available.
          </span>{' '}
          {is_preset
            ? 'Their events are not sent until you add them.'
            : 'They are added after your mappings, which stay as they are.'}
        </p>
        <p className="text-ink-2">{presets.map(eventsOf).join(', ')}</p>
        {add.isError && <Alert>{`The presets were not added: ${failureText(add.error)}`}</Alert>}
      </div>
      {onAdded !== undefined && (
        <Button onClick={() => add.mutate()} loading={add.isPending}>
          Add them
        </Button>
      )}
    </section>
  )
}
