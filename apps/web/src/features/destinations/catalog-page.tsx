import { useQuery } from '@tanstack/react-query'
import { destinationCategories } from '@tributary/contract'
import { Hammer } from 'lucide-react'
import { ChooseStep } from '../../components/create-flow.tsx'
import { paths } from '../../lib/paths.ts'
import { catalogDestinationsQuery } from '../../lib/queries/workspace-queries.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { ButtonLink } from '../../ui/button.tsx'

/** The category of destinations that the workspace describes itself. */
const ownCategory = 'Your own'

/** The catalog of destinations. */
export const DestinationCatalogPage = () => {
  const workspace = useWorkspace()
  const mayEdit = useMayEdit() === true
  const query = useQuery(catalogDestinationsQuery(workspace.name))
  return (
    <ChooseStep
      noun="destination"
      description="Choose where to send your events."
      list={{ label: 'Destinations', to: paths.destinations(workspace.name) }}
      query={query}
      order={[ownCategory, ...destinationCategories]}
      action={
        <>
          <ButtonLink to={paths.ownConnectors(workspace.name)}>Your own</ButtonLink>
          {mayEdit && (
            <ButtonLink to={paths.newOwnConnector(workspace.name)}>
              <Hammer aria-hidden />
              Build a destination
            </ButtonLink>
          )}
        </>
      }
      otherwise={
        mayEdit && (
          <>
            <p>A service that is not in the catalog can become a destination of your own.</p>
            <ButtonLink to={paths.newOwnConnector(workspace.name)}>Build a destination for it</ButtonLink>
          </>
        )
      }
      cardOf={(app) => ({
        name: app.name,
        title: app.display_name,
        description: app.description,
        icon: app.extra.app_icon,
        categories: app.name.startsWith('catalogDestinations/own-') ? [ownCategory, app.category] : [app.category],
        abilities: [...app.data_kinds, ...app.abilities],
        popular: app.popular,
        instances: app.instance_count,
        to: paths.newDestination(workspace.name, app.name),
      })}
    />
  )
}
