import type { Sync } from '@tributary/contract'
import { useState } from 'react'
import { failureText } from '../../../lib/api/errors.ts'
import { useMayEdit } from '../../../lib/workspace.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { type SyncChange, useUpdateSync } from '../sync-mutations.ts'

/** A card with one setting that is saved separately. If the server rejects a choice, the card keeps it. */
export const SavedCard = <Value,>({
  sync,
  title,
  description,
  saved,
  changeOf,
  children,
}: {
  sync: Sync
  title: string
  description: string
  saved: Value
  /** The request for a value; undefined for an invalid one. */
  changeOf: (value: Value) => SyncChange | undefined
  children: (value: Value, change: (value: Value) => void) => React.ReactNode
}) => {
  const mayEdit = useMayEdit() === true
  const update = useUpdateSync(sync)
  const [value, setValue] = useState(saved)
  const change = changeOf(value)
  return (
    <Card
      title={title}
      description={description}
      {...(mayEdit
        ? {
            footer: (
              <>
                {update.isError && <Alert className="mr-auto text-xs">{failureText(update.error)}</Alert>}
                <Button
                  disabled={JSON.stringify(value) === JSON.stringify(saved) || change === undefined}
                  loading={update.isPending}
                  onClick={() => change !== undefined && update.mutate(change)}
                >
                  Save
                </Button>
              </>
            ),
          }
        : {})}
    >
      {children(value, setValue)}
    </Card>
  )
}
