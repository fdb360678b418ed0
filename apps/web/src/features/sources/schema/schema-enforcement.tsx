import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type Enforcement, methods, type Source } from '@tributary/contract'
import { useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { failureText } from '../../../lib/api/errors.ts'
import { sourceIds } from '../../../lib/format/names.ts'
import { track } from '../../../lib/integrations/analytics.ts'
import { sourceQuery } from '../../../lib/queries/workspace-queries.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Switch } from '../../../ui/forms/switch.tsx'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { notify } from '../../../ui/overlays/toast.tsx'

/** Changes the enforcement for events that do not match the schema. */
const useSetEnforcement = (source: Source) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (enforcement: Enforcement) =>
      call(methods.sources.update, {
        params: sourceIds(source.name),
        query: { update_mask: 'enforcement' },
        body: { enforcement },
      }),
    onSuccess: (updated) => {
      cache.setQueryData(sourceQuery(source.name).queryKey, updated)
      track('Source Updated', { source: source.name, fields: ['enforcement'] })
      notify('success', updated.enforcement === 'block' ? 'Blocking Enabled' : 'Blocking Disabled')
    },
  })
}

/** The enforcement for events that do not match the schema; blocking needs a confirmation. */
export const EnforcementSetting = ({ source, mayEdit }: { source: Source; mayEdit: boolean }) => {
  const set = useSetEnforcement(source)
  const [asks, setAsks] = useState(false)
  const blocks = source.enforcement === 'block'
  return (
    <div className="flex items-start gap-3">
      <div className="min-w-0 flex-1">
        <h2 className="text-sm font-medium">Block non-conforming events</h2>
        <p className="mt-0.5 text-xs text-ink-2">
          {blocks
            ? 'Events that do not match the schema are stored, not delivered. Replay them from Violations once they match.'
            : 'Events that do not match the schema are delivered, and listed in Violations.'}
        </p>
        {set.isError && !asks && <Alert className="mt-1 text-xs">{failureText(set.error)}</Alert>}
      </div>
      <Switch
        label="Block non-conforming events"
        checked={blocks}
        disabled={!mayEdit || set.isPending}
        onChange={(block) => {
          set.reset()
          if (block) setAsks(true)
          else set.mutate('allow')
        }}
      />
      <ConfirmDialog
        open={asks}
        onOpenChange={setAsks}
        kind="danger"
        title="Block non-conforming events?"
        confirmLabel="Block them"
        loading={set.isPending}
        done={set.isSuccess}
        error={set.error === null ? undefined : failureText(set.error)}
        onConfirm={() => set.mutate('block')}
      >
        Track events that are not in the schema, and events whose properties or traits do not match it, will be stored
        but not delivered to any destination. You can replay them from Violations once they match.
      </ConfirmDialog>
    </div>
  )
}
