import type { SourceGuideStep } from '@tributary/connector-kit'

/** How Go programs send events. */
export const goEvents: SourceGuideStep = {
  title: 'Send events',
  text: 'Enqueue returns immediately. Its error means the message is incomplete, not that the network failed.',
  code: `func sendEvents(client analytics.Client) {
	client.Enqueue(analytics.Identify{
		UserId: "user-123",
		Traits: analytics.NewTraits().SetEmail("jane@example.com").Set("plan", "pro"),
	})
	client.Enqueue(analytics.Track{
		UserId:     "user-123",
		Event:      "Order Completed",
		Properties: analytics.NewProperties().Set("order_id", "1001").Set("total", 59.9),
	})
}`,
  language: 'go',
}

/** How Java programs send events, with the library in this package. */
export const javaEvents = (library: string): SourceGuideStep => ({
  title: 'Send events',
  text: 'Every call needs a user ID or an anonymous ID.',
  code: `import ${library}.messages.IdentifyMessage;
import ${library}.messages.TrackMessage;
import java.util.Map;

analytics.enqueue(IdentifyMessage.builder()
    .userId("user-123")
    .traits(Map.of("email", "jane@example.com", "plan", "pro")));
analytics.enqueue(TrackMessage.builder("Order Completed")
    .userId("user-123")
    .properties(Map.of("order_id", "1001", "total", 59.9)));`,
  language: 'java',
})

/** How Java programs end. */
export const javaFlush: SourceGuideStep = {
  title: 'Flush before the process ends',
  text: 'Calls are batched in memory. Flush, then shut down the threads.',
  code: `analytics.flush();
analytics.shutdown();`,
  language: 'java',
}

/** How Python programs send events, with the module of this name. */
export const pythonEvents = (module: string): SourceGuideStep => ({
  title: 'Send events',
  text: 'Every call needs a user ID or an anonymous ID.',
  code: `${module}.identify('user-123', {'email': 'jane@example.com', 'plan': 'pro'})
${module}.track('user-123', 'Order Completed', {'order_id': '1001', 'total': 59.9})`,
  language: 'python',
})

/** How Python programs end. */
export const pythonFlush = (module: string): SourceGuideStep => ({
  title: 'Flush before the program ends',
  text: 'Calls are batched in memory. Flush before a script or worker exits.',
  code: `${module}.shutdown()`,
  language: 'python',
})

/** How apps in Swift send events; `screen` is what the library calls the name of a screen. */
export const swiftEvents = (screen: string): SourceGuideStep => ({
  title: 'Send events',
  text: 'Anywhere in the app. The instance lives as long as the app does.',
  code: `let analytics = AppDelegate.analytics!
analytics.identify(userId: "user-123", traits: ["email": "jane@example.com", "plan": "pro"])
analytics.screen(${screen}: "Checkout")
analytics.track(name: "Order Completed", properties: ["order_id": "1001", "total": 59.9])
analytics.flush()`,
  language: 'swift',
})

/** How apps in Kotlin send events. */
export const kotlinEvents: SourceGuideStep = {
  title: 'Send events',
  text: 'Anywhere in the app. The instance lives as long as the app does.',
  code: `import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.put

val analytics = MyApplication.analytics
analytics.identify("user-123", buildJsonObject { put("email", "jane@example.com"); put("plan", "pro") })
analytics.screen("Checkout")
analytics.track("Order Completed", buildJsonObject { put("order_id", "1001"); put("total", 59.9) })
analytics.flush()`,
  language: 'kotlin',
}

/** How Node servers send events. */
export const nodeEvents: SourceGuideStep = {
  title: 'Send events',
  text: 'Every call needs a user ID or an anonymous ID.',
  code: `analytics.identify({ userId: 'user-123', traits: { email: 'jane@example.com', plan: 'pro' } })
analytics.track({ userId: 'user-123', event: 'Order Completed', properties: { order_id: '1001', total: 59.9 } })`,
  language: 'javascript',
}
