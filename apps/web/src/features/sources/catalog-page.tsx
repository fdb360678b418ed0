import { useQuery } from '@tanstack/react-query'
import type { TargetProduct } from '@tributary/contract'
import { useSearchParams } from 'react-router'
import { ChooseStep } from '../../components/create-flow.tsx'
import { catalogSourcesQuery } from '../../lib/queries/workspace-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { sourcePlaces } from './source-places.ts'
import { sourceTypeName } from './source-types.ts'

const Catalog = ({ product, description }: { product: TargetProduct; description: string }) => {
  const workspace = useWorkspace()
  const query = useQuery(catalogSourcesQuery(workspace.name, product))
  const { list, make } = sourcePlaces(workspace.name, product)
  const [address] = useSearchParams()
  const destination = address.get('destination') ?? undefined
  return (
    <ChooseStep
      noun="source"
      description={description}
      list={list}
      query={query}
      cardOf={(app) => ({
        name: app.name,
        title: app.title,
        description: app.description,
        icon: app.extra.app_icon,
        categories: [sourceTypeName(app.type)],
        instances: app.instance_count,
        to: make(app.name, destination),
      })}
    />
  )
}

/** The catalog of sources. */
export const SourceCatalogPage = () => <Catalog product="CDP" description="Choose what sends your events." />

/** The catalog of sources for signals. */
export const SignalSourceCatalogPage = () => (
  <Catalog product="SIGNALS" description="Choose what knows of your conversions." />
)
