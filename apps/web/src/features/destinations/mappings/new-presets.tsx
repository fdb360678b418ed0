import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type Destination, type DestinationMappings, methods } from '@tributary/contract'
import { ArrowRight, PackagePlus } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { failureText } from '../../../lib/api/errors.ts'
import { destinationIds } from '../../../lib/format/names.ts'
import { pluralise } from '../../../lib/format/text.ts'
import { track } from '../../../lib/integrations/analytics.ts'
import { mappingsQuery } from '../../../lib/queries/mapping-queries.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { notify } from '../../../ui/overlays/toast.tsx'

type NewPreset = DestinationMappings['new_presets'][number]

/** Returns the events of a preset in a few words. */
const eventsOf = ({ event_name, event_type }: NewPreset): string =>
  event_name !== '' ? event_name : event_type === '' ? 'all events' : `${event_type} calls`

/** Says which presets the app of a destination got after the destination. Those who may edit can confirm to add them. */
export const NewPresets = ({
  destination,
  server: { new_presets: presets, is_preset, revision, actions },
  onAdded,
}: {
  destination: Destination
  server: DestinationMappings
  /** Called after the presets were added; undefined for users who may not add them. */
  onAdded: (() => void) | undefined
}) => {
  const cache = useQueryClient()
  const [asks, setAsks] = useState(false)
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
  const count = `${presets.length} new ${pluralise(presets.length, 'preset')}`
  const actionOf = ({ destination: name }: NewPreset): string =>
    actions.find((action) => action.name === name)?.title ?? name
  return (
    <section
      aria-label="New presets"
      className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-lg border border-line bg-surface px-4 py-3 text-sm shadow-card"
    >
      <PackagePlus aria-hidden className="size-4 shrink-0 text-ink-2 max-sm:hidden" />
      <div className="min-w-0 flex-1 basis-64 space-y-1">
        <p>
          <span className="font-medium">
            {count} {presets.length === 1 ? 'is' : 'are'} available.
          </span>{' '}
          {is_preset ? 'Their events are not sent until you add them.' : 'Your mappings stay as they are.'}
        </p>
        <p className="text-ink-2">{presets.map(eventsOf).join(', ')}</p>
      </div>
      {onAdded !== undefined && (
        <>
          <Button onClick={() => setAsks(true)}>Add them</Button>
          <ConfirmDialog
            open={asks}
            onOpenChange={(open) => {
              setAsks(open)
              if (!open) add.reset()
            }}
            kind="info"
            title={`Add ${count}`}
            confirmLabel="Add presets"
            loading={add.isPending}
            error={add.isError ? `The presets were not added: ${failureText(add.error)}` : undefined}
            onConfirm={() => add.mutate()}
          >
            <p>
              {destination.title} then receives these events.{' '}
              {is_preset
                ? 'Its other presets get their latest fields. To stop an event later, customize the mappings, and turn off or delete its mapping.'
                : 'Your mappings stay as they are. To stop an event later, turn off or delete its mapping.'}
            </p>
            <ul aria-label="New presets" className="mt-3 max-h-60 list-disc space-y-1 overflow-y-auto pl-4 text-ink">
              {presets.map((preset, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: presets have no IDs, and two can have the same events.
                <li key={index}>
                  {eventsOf(preset)}{' '}
                  <ArrowRight aria-label="to" className="inline size-3.5 align-[-0.125em] text-ink-3" />{' '}
                  <span className="text-ink-2">{actionOf(preset)}</span>
                </li>
              ))}
            </ul>
          </ConfirmDialog>
        </>
      )}
    </section>
  )
}
