import { propertyIdOf } from '@tributary/contract'
import { CircleMinus, CirclePlus, PenLine } from 'lucide-react'
import { useState } from 'react'
import { count } from '../../../../lib/format/text.ts'
import { Button } from '../../../../ui/button.tsx'
import { cn } from '../../../../ui/cn.ts'
import { changeWords, type EventChange, ownerTitle, type PropertyChange, propertyTitle } from './schema-diff.ts'

const looks = {
  added: { icon: CirclePlus, tone: 'text-success-ink', word: 'Added' },
  changed: { icon: PenLine, tone: 'text-accent-ink', word: 'Changed' },
  removed: { icon: CircleMinus, tone: 'text-danger-ink', word: 'Removed' },
} as const

const kindOf = ({ before, after }: PropertyChange): keyof typeof looks =>
  before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'

const Mark = ({ kind }: { kind: keyof typeof looks }) => {
  const { icon: Icon, tone, word } = looks[kind]
  return (
    <span className={cn('shrink-0', tone)}>
      <Icon aria-hidden className="size-4" />
      <span className="sr-only">{word} </span>
    </span>
  )
}

const wordsOf = ({ before, after }: PropertyChange): string => {
  if (before !== undefined && after !== undefined) return changeWords(before, after).join(', ')
  const state = after ?? before
  return state === undefined ? '' : `${state.type}, ${state.requirement}`
}

/** Maximum number of events that are shown at first: a difference of a thousand events is too long to read. */
const shownAtFirst = 100

/** The differences between two schemas, by event and property. */
export const SchemaDiff = ({ label, changes }: { label: string; changes: readonly EventChange[] }) => {
  const [all, setAll] = useState(false)
  const shown = all ? changes : changes.slice(0, shownAtFirst)
  return (
    <>
      <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line bg-surface">
        {shown.map((change) => (
          <li key={change.event ?? ''} aria-label={ownerTitle(change.event)} className="px-3 py-2">
            <p className="flex items-start gap-2 text-sm font-medium">
              <Mark kind={change.kind} />
              <span className="min-w-0 break-words">{ownerTitle(change.event)}</span>
            </p>
            {change.properties.length > 0 && (
              <ul className="mt-1 space-y-1 pl-6">
                {change.properties.map((property) => (
                  <li key={propertyIdOf(property.place)} className="flex items-start gap-2 text-xs">
                    <Mark kind={kindOf(property)} />
                    <span className="min-w-0 break-words">
                      <code className="font-mono">{propertyTitle(property.place)}</code>{' '}
                      <span className="text-ink-2">{wordsOf(property)}</span>
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
      {shown.length < changes.length && (
        <Button size="sm" className="mt-2" onClick={() => setAll(true)}>
          Show {count(changes.length - shown.length)} more
        </Button>
      )}
    </>
  )
}
