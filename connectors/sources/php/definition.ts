import { needsHttps, seeItArrive } from '../arrival.ts'

/** Source: PHP programs with analytics-php. */
export const php = {
  slug: 'php',
  title: 'PHP',
  description:
    'Send events from your PHP applications with the analytics-php library. Calls in a request are sent as one batch when the request ends.',
  type: 3,
  docsUrl: 'https://github.com/segmentio/analytics-php',
  guide: [
    {
      title: 'Install the library',
      text: 'PHP 7.4 or newer with the curl extension.',
      code: 'composer require segmentio/analytics-php',
      language: 'shell',
    },
    {
      title: 'Point it at this server',
      text: `${needsHttps} Enter the host without https and without a path. The library adds \`/v1/batch\`.`,
      code: `<?php
require 'vendor/autoload.php';

use Segment\\Segment;

Segment::init('{{writeKey}}', [
    'host' => '{{host}}',
    'error_handler' => fn ($code, $message) => error_log("analytics: $code $message"),
]);`,
      language: 'php',
    },
    {
      title: 'Send events',
      text: 'Every call needs a user ID or an anonymous ID.',
      code: `Segment::identify([
    'userId' => 'user-123',
    'traits' => ['email' => 'jane@example.com', 'plan' => 'pro'],
]);
Segment::track([
    'userId' => 'user-123',
    'event' => 'Order Completed',
    'properties' => ['order_id' => '1001', 'total' => 59.9],
]);`,
      language: 'php',
    },
    {
      title: 'Flush in long-running programs',
      text: 'A web request flushes when it ends. Workers and daemons must flush themselves.',
      code: 'Segment::flush();',
      language: 'php',
    },
    seeItArrive('A batch is sent when the request ends, or when you flush.'),
  ],
}
