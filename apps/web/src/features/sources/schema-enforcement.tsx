import type { Source } from '@tributary/contract'
import { useState } from 'react'
import { failureText } from '../../lib/errors.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Switch } from '../../ui/switch.tsx'
import { useSetEnforcement } from './schema-mutations.ts'

/** What is done with events that do not fit the schema; keeping them back is asked for before it begins. */
export const EnforcementSetting = ({ source, mayEdit }: { source: Source; mayEdit: boolean }) => {
  const set = useSetEnforcement(source)
  const [asks, setAsks] = useState(false)
  const blocks = source.enforcement === 'block'
  return (
    <div className="flex items-start gap-3">
      <div className="min-w-0 flex-1">
        <h2 className="text-sm font-medium">Keep back events that do not fit</h2>
        <p className="mt-0.5 text-xs text-ink-2">
          {blocks
            ? 'Events that do not fit the schema are stored but not delivered. Replay them in Violations once they fit.'
            : 'Events that do not fit the schema are delivered all the same, and listed in Violations.'}
        </p>
        {set.isError && !asks && (
          <p role="alert" className="mt-1 text-xs text-danger-ink">
            {failureText(set.error)}
          </p>
        )}
      </div>
      <Switch
        label="Keep back events that do not fit"
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
        title="Keep back events that do not fit?"
        confirmLabel="Keep them back"
        loading={set.isPending}
        done={set.isSuccess}
        error={set.error === null ? undefined : failureText(set.error)}
        onConfirm={() => set.mutate('block')}
      >
        From now on, track events that the schema does not know and events whose properties or traits do not fit it are
        not delivered to any destination. They are stored and counted, and can be sent again in Violations once they
        fit.
      </ConfirmDialog>
    </div>
  )
}
