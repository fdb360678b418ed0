import { needsHttps, seeItArrive } from '../arrival.ts'
import { lettersLogo } from '../letters.ts'

/** PHP programs, with analytics-php. */
export const php = {
  slug: 'php',
  title: 'PHP',
  description:
    'Send events from your PHP applications with the analytics-php library. Calls of a request are collected into one batch, which is sent when the request ends.',
  type: 3,
  docsUrl: 'https://github.com/segmentio/analytics-php',
  logo: lettersLogo('php', '#5b659c'),
  guide: [
    {
      title: 'Install the library',
      text: 'PHP 7.4 or newer with the curl extension.',
      code: 'composer require segmentio/analytics-php',
      language: 'shell',
    },
    {
      title: 'Point it at this server',
      text: `${needsHttps} The host stands without https and without a path; the library adds \`/v1/batch\`.`,
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
      text: 'Every call names the user, or an anonymous id.',
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
      text: 'A web request sends what waits when it ends. Workers and daemons do it themselves.',
      code: 'Segment::flush();',
      language: 'php',
    },
    seeItArrive('A batch leaves when the request ends, or when you flush.'),
  ],
}
