import { type CatalogDestination, syncModes } from '@tributary/contract'
import { Badge } from '../../ui/badge.tsx'
import { Markup } from '../../ui/code/markup.tsx'

/** The objects that a destination accepts, each with its sync modes and identifiers. */
export const ReceivedObjects = ({ app: { objects } }: { app: CatalogDestination }) =>
  objects.length > 0 && (
    <section aria-labelledby="received-objects" className="space-y-2 border-t border-line pt-3">
      <h3 id="received-objects" className="text-sm font-medium">
        Receives
      </h3>
      <ul className="space-y-2">
        {objects.map(({ name, title, description, sync_modes: modes, identifiers }) => (
          <li key={name} className="text-xs text-ink-2">
            <div className="flex flex-wrap items-center gap-1.5">
              <span className="font-medium text-ink">{title}</span>
              {modes.map((mode) => (
                <Badge key={mode} tone="outline">
                  {syncModes[mode].title}
                </Badge>
              ))}
            </div>
            <Markup text={description} className="mt-0.5" />
            {identifiers.length > 0 && <p className="mt-0.5 text-ink-3">Identified by: {identifiers.join(', ')}</p>}
          </li>
        ))}
      </ul>
    </section>
  )
