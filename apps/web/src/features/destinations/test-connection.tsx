import { useMutation } from '@tanstack/react-query'
import { type Destination, methods } from '@tributary/contract'
import { TestConnection } from '../../components/test-connection.tsx'
import { call } from '../../lib/api/client.ts'
import { destinationIds } from '../../lib/format/names.ts'
import { Card } from '../../ui/card.tsx'

/** Tests the URL and credentials of a destination. */
const useTestConnection = (destination: string) =>
  useMutation({
    mutationFn: () => call(methods.destinations.testConnection, { params: destinationIds(destination), body: {} }),
  })

/** A button that tests the URL and credentials of a destination, and shows the result. */
export const TestDestination = ({ destination }: { destination: Destination }) => (
  <TestConnection test={useTestConnection(destination.name)} />
)

/** A card that tests the URL and credentials of a destination. */
export const TestConnectionCard = ({ destination }: { destination: Destination }) => (
  <Card title="Test" description="Checks the saved address and credentials. No event is sent and nothing changes.">
    <TestDestination destination={destination} />
  </Card>
)
