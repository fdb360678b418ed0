import type { CheckedOwnConnector } from '@tributary/contract'
import { CircleAlert, CircleCheck, CircleX } from 'lucide-react'
import { lineOf, offsetOfNames } from '../../../lib/format/json-places.ts'
import { Card } from '../../../ui/card.tsx'
import { CodeBlock } from '../../../ui/code/code-block.tsx'
import { EmptyState } from '../../../ui/page/empty-state.tsx'

/** Returns the offset of a place such as `actions.track.item` in a text; 0 if the text is no JSON. */
export const offsetOfPlace = (text: string, place: string): number => {
  try {
    return offsetOfNames(text, place === '' ? [] : place.split('.'))
  } catch (error) {
    // The text has its mistake at this offset.
    return error instanceof Error && 'offset' in error && typeof error.offset === 'number' ? error.offset : 0
  }
}

/** A button that leads to a place of the description. */
const Place = ({ text, path, onGo }: { text: string; path: string; onGo: (offset: number) => void }) => {
  const offset = offsetOfPlace(text, path)
  return (
    <button
      type="button"
      className="rounded-sm text-left font-mono text-xs font-medium break-all underline underline-offset-2"
      onClick={() => onGo(offset)}
    >
      Line {lineOf(text, offset).line}
      {path !== '' && `: ${path}`}
    </button>
  )
}

type Found = { text: string; onGo: (offset: number) => void }

/** The problems of the description, each with a link to its place; those of the guide have none. */
export const Problems = ({ checked, text, onGo }: Found & { checked: CheckedOwnConnector }) => {
  const failed = checked.vectors.filter(({ ok }) => !ok).length
  if (checked.problems.length === 0)
    return (
      <p className="flex items-center gap-2 text-sm text-ink-2">
        <CircleCheck aria-hidden className="size-4 shrink-0 text-success-ink" />
        {failed === 0 ? 'No problems. It can be published.' : 'No problems, but vectors fail.'}
      </p>
    )
  return (
    <ul aria-label="Problems" className="space-y-3">
      {checked.problems.map(({ path, message }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- two problems can be equal
        <li key={`${index} ${path}`} className="flex items-start gap-2 text-sm">
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger-ink" />
          <span className="min-w-0">
            {path === 'guide' ? (
              <span className="text-xs font-medium">Guide</span>
            ) : (
              <Place text={text} path={path} onGo={onGo} />
            )}
            <span className="block break-words">{message}</span>
          </span>
        </li>
      ))}
    </ul>
  )
}

/** The results of the test vectors, and how a failed one differs. */
export const Vectors = ({ checked, text, onGo }: Found & { checked: CheckedOwnConnector }) => {
  if (checked.vectors.length === 0)
    return (
      <EmptyState title="No vectors" className="py-8">
        A vector is an event with the requests that it must become. Try an event, and keep it as a vector. Each check
        then runs it.
      </EmptyState>
    )
  return (
    <ul aria-label="Vectors" className="space-y-4">
      {checked.vectors.map((vector) => (
        <li key={vector.path} className="space-y-2 text-sm">
          <span className="flex items-start gap-2">
            {vector.ok ? (
              <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-success-ink" />
            ) : (
              <CircleX aria-hidden className="mt-0.5 size-4 shrink-0 text-danger-ink" />
            )}
            <span className="min-w-0">
              <span className="font-medium break-words">{vector.name === '' ? vector.path : vector.name}</span>{' '}
              <span className="text-ink-3">{vector.ok ? 'passes' : 'fails'}</span>
              {!vector.ok && (
                <span className="block">
                  <Place text={text} path={vector.path} onGo={onGo} />
                  <span className="block break-words">{vector.message}</span>
                </span>
              )}
            </span>
          </span>
          {!vector.ok && (vector.expected !== '' || vector.actual !== '') && (
            <CodeBlock
              label="Side"
              codes={[
                { title: 'Expected', language: 'json', text: vector.expected },
                { title: 'Actual', language: 'json', text: vector.actual },
              ]}
              className="max-h-72 break-all whitespace-pre-wrap"
            />
          )}
        </li>
      ))}
    </ul>
  )
}

/** Destinations for which a publication is refused, or that it holds. */
export const Affected = ({ checked }: { checked: CheckedOwnConnector }) =>
  checked.destinations.length > 0 && (
    <Card title="Destinations" description="What publishing does to destinations that use this." className="mt-5">
      <ul className="space-y-2 text-sm">
        {checked.destinations.map(({ name, title, problems, missing_settings: missing, secrets_to_enter: secrets }) => (
          <li key={name}>
            <span className="font-medium">{title}</span>
            {problems.map((problem) => (
              <span key={problem} className="block text-danger-ink">
                {problem}
              </span>
            ))}
            {missing.length + secrets.length > 0 && (
              <span className="block text-ink-2">
                Held until these are entered: {[...missing, ...secrets].join(', ')}
              </span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
