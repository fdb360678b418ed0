import { type ApiKey, keyAreaNames, keyAreas } from '@tributary/contract'
import { KeyRound } from 'lucide-react'
import { roleTitle } from '../../../lib/people/roles.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { CardRow } from '../../../ui/lists/card-list.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'

/** The areas of a key, as text. */
export const areasText = ({ areas }: Pick<ApiKey, 'areas'>): string =>
  areas.length === keyAreaNames.length ? 'All areas' : areas.map((area) => keyAreas[area]).join(', ')

const State = ({ item }: { item: ApiKey }) => {
  if (item.expired) return <Badge tone="danger">Expired</Badge>
  if (item.previous_expire_time !== null) return <Badge tone="warning">Rotating</Badge>
  return null
}

/** A key with its areas, its last use, and its actions. */
export const ApiKeyRow = ({
  item,
  onRotate,
  onRevoke,
}: {
  item: ApiKey
  onRotate: () => void
  onRevoke: () => void
}) => (
  <CardRow>
    <KeyRound aria-hidden className="size-4 shrink-0 text-ink-3 max-sm:hidden" />
    <span className="min-w-0 flex-1 basis-64 space-y-0.5">
      <span className="flex flex-wrap items-center gap-2">
        <span className="truncate text-sm font-medium" title={item.title}>
          {item.title}
        </span>
        <State item={item} />
      </span>
      <span className="block text-xs break-words text-ink-2">
        {roleTitle(item.role)} · {item.workspace === null ? 'All workspaces' : item.workspace.title} · {areasText(item)}
      </span>
      <span className="block text-xs break-words text-ink-3">
        Ends with <code className="font-mono">{item.hint}</code> · Created <RelativeTime time={item.create_time} /> by{' '}
        {item.creator} ·{' '}
        {item.last_used_time === null ? (
          'Never used'
        ) : (
          <>
            Last used <RelativeTime time={item.last_used_time} />
          </>
        )}
        {item.expire_time !== null && (
          <>
            {' · '}
            {item.expired ? 'Expired' : 'Expires'} <RelativeTime time={item.expire_time} upcoming />
          </>
        )}
        {item.previous_expire_time !== null && (
          <>
            {' · '}The previous key ends <RelativeTime time={item.previous_expire_time} upcoming />
          </>
        )}
      </span>
    </span>
    <span className="flex gap-1">
      <Button variant="none" size="sm" onClick={onRotate}>
        Rotate
      </Button>
      <Button variant="none" size="sm" onClick={onRevoke}>
        Revoke
      </Button>
    </span>
  </CardRow>
)
