import { genericTitle, type Signal } from '@tributary/contract'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { NameWarnings } from '../../components/name-warnings.tsx'
import { ReadOnlyNote } from '../../components/settings/read-only-note.tsx'
import { TitleCard } from '../../components/settings/title-card.tsx'
import { ApiError, failureText } from '../../lib/api/errors.ts'
import { paths } from '../../lib/paths.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { notifyRefusal } from '../../ui/overlays/toast.tsx'
import { DeleteCard } from '../../ui/page/delete-card.tsx'
import { changeOf, draftOf, type Part, type Problems, problemsOf } from './draft.ts'
import { ConversionFields } from './fields/conversion-fields.tsx'
import { EventIdFields } from './fields/event-id-fields.tsx'
import type { FieldsProps } from './fields/fields-props.ts'
import { PlatformFields } from './fields/platform-fields.tsx'
import { TriggerFields } from './fields/trigger-fields.tsx'
import { ValueFields } from './fields/value-fields.tsx'
import { useDeleteSignal, useUpdateSignal } from './mutations.ts'
import { useNameWarnings } from './use-name-warnings.ts'

const cards: Readonly<Record<Part, { title: string; description: string }>> = {
  trigger: { title: 'Events', description: 'What makes a conversion. Applies from the next event.' },
  conversion: { title: 'Conversion', description: 'What platforms know it as.' },
  value: { title: 'Value', description: 'What a conversion is worth.' },
  event_id: { title: 'Event ID', description: 'By what a conversion is counted once, and refunds.' },
  platforms: {
    title: 'Platforms',
    description: 'Where conversions are sent, and with what. A test code is entered here.',
  },
}

/** One part of a signal, which is saved separately. If the server rejects it, the entered values stay. */
const PartCard = ({
  signal,
  part,
  children,
}: {
  signal: Signal
  part: Part
  children: (props: FieldsProps) => ReactNode
}) => {
  const mayEdit = useMayEdit() === true
  const update = useUpdateSignal(signal)
  const saved = draftOf(signal)
  const [draft, setDraft] = useState(saved)
  const [problems, setProblems] = useState<Problems>({})
  const warnings = useNameWarnings(draft)
  const changed = JSON.stringify(changeOf(draft, part)) !== JSON.stringify(changeOf(saved, part))
  const save = (): void => {
    const found = problemsOf(draft, part)
    setProblems(found)
    if (Object.keys(found).length > 0) return
    update.mutate(changeOf(draft, part), {
      onError: (error) => {
        // By then, the card may show the version of another user, so a notice reports the error.
        if (error instanceof ApiError && error.status === 409) notifyRefusal('Could not save the signal', error)
      },
    })
  }
  return (
    <section aria-label={cards[part].title}>
      <Card
        {...cards[part]}
        {...(mayEdit
          ? {
              footer: (
                <>
                  {update.isError && (
                    <Alert className="mr-auto min-w-0 text-xs break-words">{failureText(update.error)}</Alert>
                  )}
                  <Button disabled={!changed} loading={update.isPending} onClick={save}>
                    Save
                  </Button>
                </>
              ),
            }
          : {})}
      >
        <NameWarnings value={warnings}>
          {children({
            draft,
            problems,
            disabled: !mayEdit,
            onChange: (next) => {
              setDraft(next)
              if (Object.keys(problems).length > 0) setProblems(problemsOf(next, part))
            },
          })}
        </NameWarnings>
      </Card>
    </section>
  )
}

const partsOf = (signal: Signal): readonly [Part, (props: FieldsProps) => ReactNode][] => [
  ['trigger', (props) => <TriggerFields {...props} />],
  ['conversion', (props) => <ConversionFields {...props} />],
  ['value', (props) => <ValueFields {...props} />],
  ['event_id', (props) => <EventIdFields {...props} />],
  ['platforms', (props) => <PlatformFields {...props} saved={signal.platforms} />],
]

/** All settings of a signal, part by part, and its deletion. */
export const SettingsTab = ({ signal }: { signal: Signal }) => {
  const workspace = useWorkspace().name
  const mayEdit = useMayEdit() === true
  const update = useUpdateSignal(signal)
  const remove = useDeleteSignal(signal)
  const saved = draftOf(signal)
  return (
    <div className="max-w-3xl space-y-5">
      <ReadOnlyNote />
      <TitleCard
        key={signal.title}
        title={signal.title}
        rule={genericTitle}
        mayEdit={mayEdit}
        onSave={(title) => update.mutateAsync({ title })}
      />
      {partsOf(signal).map(([part, fields]) => (
        <PartCard key={`${part} ${JSON.stringify(changeOf(saved, part))}`} signal={signal} part={part}>
          {fields}
        </PartCard>
      ))}
      {mayEdit && (
        <DeleteCard
          label="Delete signal"
          description="Its conversions and figures are deleted. What platforms have received stays there."
          mutation={remove}
          list={paths.signals(workspace)}
        >
          Are you sure you want to delete the {signal.title} signal? No more conversions are sent, and its match quality
          and attribution are gone. This can't be undone.
        </DeleteCard>
      )}
    </div>
  )
}
