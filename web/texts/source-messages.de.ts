/**
 * German of the sentences with which a connector reports a problem. `*` is a part of the message, in the same order: if it
 * is a sentence of this list, it is German too.
 */
const sentences: readonly (readonly [english: string, german: string])[] = [
  ['The agent * cannot be read: *', 'Der Agent * ist nicht lesbar: *'],
  ['The agent denies access: HTTP *', 'Der Agent verweigert den Zugriff: HTTP *'],
  [
    'The agent redirects to another address, which is not followed: HTTP *',
    'Der Agent leitet an eine andere Adresse weiter, was nicht erlaubt ist: HTTP *',
  ],
  ['The agent sent no byte for * s', 'Der Agent hat * s lang nichts gesendet'],
  ['The agent did not answer within * s', 'Der Agent hat * s lang nicht geantwortet'],
  ['The agent compresses with *, which was not requested', 'Der Agent komprimiert unaufgefordert mit *'],
  ['The agent rejects requests from sequence *', 'Der Agent lehnt Anfragen ab der Sequenz * ab'],
  [
    'The agent sent another document than requested: *',
    'Der Agent hat ein anderes Dokument als das angefragte gesendet: *',
  ],
  ['The agent reports *: *', 'Der Agent meldet *: *'],
  ['The agent does not have the devices *', 'Der Agent hat diese Geräte nicht: *'],
  [
    'The agent has more than * data items: the others are not read',
    'Der Agent hat mehr als * Datenelemente: die weiteren werden nicht gelesen',
  ],
  ['A document of the agent took longer than * s', 'Ein Dokument des Agenten hat länger als * s gedauert'],
  ['The address does not answer /probe with devices', 'Die Adresse beantwortet /probe nicht mit Geräten'],
  ['The probe document has more than * bytes', 'Das Probe-Dokument hat mehr als * Bytes'],
  ['The probe document has more than * devices', 'Das Probe-Dokument hat mehr als * Geräte'],
  ['The probe document has more than * data items', 'Das Probe-Dokument hat mehr als * Datenelemente'],
  ['The devices cannot be read: *', 'Die Geräte sind nicht lesbar: *'],
  ['The XML is invalid at character *: *', 'Das XML ist ungültig ab Zeichen *: *'],
  ['The document is longer than * bytes', 'Das Dokument ist länger als * Bytes'],
  ['The document is not UTF-8', 'Das Dokument ist nicht in UTF-8'],
  [
    'The encoding * of the document is not supported: use UTF-8',
    'Die Zeichenkodierung * des Dokuments wird nicht unterstützt: verwenden Sie UTF-8',
  ],
  ['The document * has no Header', 'Das Dokument * hat keinen Header'],
  [
    'The document * is not an MTConnect document of streams, devices or errors',
    'Das Dokument * ist kein MTConnect-Dokument mit Werten, Geräten oder Fehlern',
  ],
  ['The document has more than * observations and entries', 'Das Dokument hat mehr als * Beobachtungen und Einträge'],
  [
    'The boundary does not follow a part: its Content-length is wrong',
    'Die Trennzeile folgt nicht auf einen Teil: dessen Content-length ist falsch',
  ],
  ['A header of a part has no name: *', 'Eine Kopfzeile eines Teils hat keinen Namen: *'],
  ['The Content-length of a part is not a number: *', 'Die Content-length eines Teils ist keine Zahl: *'],
  ['A part has two Content-lengths: * and *', 'Ein Teil hat zwei Content-lengths: * und *'],
  ['The lines before a part are longer than * bytes', 'Die Zeilen vor einem Teil sind länger als * Bytes'],
  ['The content type is not multipart: *', 'Der Content-Type ist nicht multipart: *'],
  [
    'The content type has no boundary of 1 to * characters: *',
    'Der Content-Type hat keine Trennzeile von 1 bis * Zeichen: *',
  ],
  ['A part is longer than * bytes', 'Ein Teil ist länger als * Bytes'],
  [
    'The stored position cannot be read: the agent is read from the start of its buffer',
    'Die gespeicherte Position ist nicht lesbar: der Agent wird ab dem Anfang seines Puffers gelesen',
  ],
  ['The broker * cannot be read: *', 'Der Broker * ist nicht lesbar: *'],
  ['The broker cannot be read: *', 'Der Broker ist nicht lesbar: *'],
  ['The broker denies access: *', 'Der Broker verweigert den Zugriff: *'],
  ['The broker rejects the subscriptions *', 'Der Broker lehnt diese Abonnements ab: *'],
  ['The broker does not answer pings', 'Der Broker antwortet nicht auf Pings'],
  [
    'The broker sent nothing for one and a half times the keep-alive',
    'Der Broker hat länger als das Eineinhalbfache des Keep-Alive nichts gesendet',
  ],
  ['The connector has no rules and no samplesTopic', 'Die Datenquelle hat weder Regeln noch samplesTopic'],
  [
    'The stored position cannot be read: values without a time may count twice',
    'Die gespeicherte Position ist nicht lesbar: Werte ohne Zeit zählen vielleicht doppelt',
  ],
  [
    'A message in the topic of samples is larger than * bytes',
    'Eine Nachricht im Topic der Werte ist größer als * Bytes',
  ],
  ['A message gave no sample: *: *', 'Eine Nachricht ergab keinen Wert: *: *'],
  [
    'broker_queue: the broker may have discarded messages, because it was not read for * s. Raise the limit of its queue, and options.brokerQueue to the same number',
    'broker_queue: der Broker hat vielleicht Nachrichten verworfen, denn er wurde * s lang nicht gelesen. Erhöhen Sie die Grenze seiner Warteschlange, und options.brokerQueue auf dieselbe Zahl',
  ],
  ['The adapter has ended the connection', 'Der Adapter hat die Verbindung beendet'],
  ['The adapter sent nothing for * s', 'Der Adapter hat * s lang nichts gesendet'],
  ['The adapter sent a line of more than * bytes', 'Der Adapter hat eine Zeile mit mehr als * Bytes gesendet'],
  [
    'The buffer was full: samples of the adapter were dropped',
    'Der Puffer war voll: Werte des Adapters wurden verworfen',
  ],
  ['The adapter sent data that cannot be read: *', 'Der Adapter hat unlesbare Daten gesendet: *'],
  [
    'No device of options.devices has the name of a source of machines',
    'Kein Gerät in options.devices hat den Namen einer Quelle von machines',
  ],
  ['options.devices cannot be read: *', 'options.devices ist nicht lesbar: *'],
  ['No connection within * s', 'Keine Verbindung innerhalb von * s'],
  ['The source has ended the connection', 'Die Quelle hat die Verbindung beendet'],
  ['The source does not end', 'Die Quelle endet nicht'],
  ['The position was not stored: *', 'Die Position wurde nicht gespeichert: *'],
  ['The buffer on disk cannot be opened: *', 'Der Puffer auf der Festplatte lässt sich nicht öffnen: *'],
  [
    'The address * is not in an allowed network: an administrator can add it to TAKT_CONNECT_ALLOW',
    'Die Adresse * ist in keinem erlaubten Netz: ein Administrator kann sie in TAKT_CONNECT_ALLOW ergänzen',
  ],
  [
    'The key, certificate or ca is not in PEM form, or they do not belong together',
    'Schlüssel, Zertifikat oder CA haben nicht die Form PEM oder gehören nicht zusammen',
  ],
  [
    'The clock of the source differs by * s: correct it, or set options.timeOffsetMs to *',
    'Die Uhr der Quelle weicht um * s ab: stellen Sie sie, oder setzen Sie options.timeOffsetMs auf *',
  ],
  [
    '* is not the key with which a secret was encrypted',
    '* ist nicht der Schlüssel, mit dem ein Geheimnis verschlüsselt wurde',
  ],
  ['The file * of a secret requires the setting *', 'Die Datei * eines Geheimnisses braucht die Einstellung *'],
  ['The file * cannot be read (*)', 'Die Datei * ist nicht lesbar (*)'],
  ['The file * is outside the folder of its company', 'Die Datei * liegt außerhalb des Ordners ihrer Firma'],
  ['* is not a file', '* ist keine Datei'],
  ['The file * has more than * bytes', 'Die Datei * hat mehr als * Bytes'],
  ['The file * is not a text in UTF-8', 'Die Datei * ist kein Text in UTF-8'],
  ['The file * is empty', 'Die Datei * ist leer'],
  ['A body of samples cannot be read: *: *', 'Eine Nachricht mit Werten ist nicht lesbar: *: *'],
  ['The preview has ended: *', 'Die Vorschau ist beendet: *'],
  ['The preview has ended after * s', 'Die Vorschau ist nach * s beendet'],
  ['it has sent * bytes', 'sie hat * Bytes gesendet'],
  ['it has read * samples', 'sie hat * Werte gelesen'],
  ['it has read values of * characters', 'sie hat Werte mit * Zeichen gelesen'],
  // Faults of an address.
  ['address must begin with http:// or https://', 'Die Adresse beginnt mit http:// oder https://'],
  ['address must begin with mqtt:// or mqtts://', 'Die Adresse beginnt mit mqtt:// oder mqtts://'],
  ['address must begin with *', 'Die Adresse beginnt mit *'],
  ['address must name a host', 'Die Adresse nennt einen Rechner'],
  ['address must end after the port', 'Die Adresse endet nach dem Port'],
  [
    'address must not contain a user or password: use options.user and secrets.password',
    'Die Adresse enthält weder Benutzer noch Passwort: sie haben eigene Felder',
  ],
  // Why a connection failed.
  ['nothing accepts connections at this address (*)', 'unter dieser Adresse nimmt nichts Verbindungen an (*)'],
  ['the connection was lost (*)', 'die Verbindung ging verloren (*)'],
  ['no response within the time limit (*)', 'keine Antwort innerhalb der Zeitgrenze (*)'],
  ['the host cannot be reached (*)', 'der Rechner ist nicht erreichbar (*)'],
  ['the network cannot be reached (*)', 'das Netz ist nicht erreichbar (*)'],
  ['the host name is unknown (*)', 'der Rechnername ist unbekannt (*)'],
  ['the host name cannot be resolved (*)', 'der Rechnername lässt sich nicht auflösen (*)'],
  ['it does not speak HTTP at this port (*)', 'an diesem Port wird kein HTTP gesprochen (*)'],
  [
    'its certificate has expired, or the clock of the server is wrong (*)',
    'sein Zertifikat ist abgelaufen, oder die Uhr des Servers ist falsch (*)',
  ],
  [
    'its certificate is not valid yet, or the clock of the server is wrong (*)',
    'sein Zertifikat gilt noch nicht, oder die Uhr des Servers ist falsch (*)',
  ],
  ['its certificate was revoked (*)', 'sein Zertifikat wurde widerrufen (*)'],
  ['its certificate is for other host names (*)', 'sein Zertifikat gilt für andere Rechnernamen (*)'],
  [
    'its certificate is self-signed: enter it as the secret ca (*)',
    'sein Zertifikat ist selbst signiert: geben Sie es als Geheimnis ca ein (*)',
  ],
  [
    'the authority of its certificate is unknown: enter it as the secret ca (*)',
    'die Zertifizierungsstelle seines Zertifikats ist unbekannt: geben Sie sie als Geheimnis ca ein (*)',
  ],
  ['it does not use encryption at this port (*)', 'an diesem Port wird nicht verschlüsselt (*)'],
  [
    'it does not use encryption at this port, or another version of TLS (*)',
    'an diesem Port wird nicht oder mit einer anderen Version von TLS verschlüsselt (*)',
  ],
  [
    'it uses a version of TLS that is not supported (*)',
    'er verwendet eine Version von TLS, die nicht unterstützt wird (*)',
  ],
  [
    'it rejects the encryption, or requires a client certificate (*)',
    'er lehnt die Verschlüsselung ab oder verlangt ein Zertifikat des Clients (*)',
  ],
  ['it requires a client certificate (*)', 'er verlangt ein Zertifikat des Clients (*)'],
  ['it does not accept the client certificate (*)', 'er nimmt das Zertifikat des Clients nicht an (*)'],
  ['Connection refused: Not authorized', 'keine Berechtigung'],
  ['Connection refused: Bad username or password', 'Benutzer oder Passwort ist falsch'],
  ['it closed the connection', 'er hat die Verbindung geschlossen'],
  ['it closed the connection without an answer', 'er hat die Verbindung ohne Antwort geschlossen'],
  ['it disconnects (code *)', 'er trennt die Verbindung (Code *)'],
  // Why a value gave no sample.
  ['*.time is not a time', '*.time ist keine Zeit'],
  ['*.value is not a text, number or boolean', '*.value ist weder Text noch Zahl noch Wahrheitswert'],
  ['*.invert requires true, false, 1 or 0', '*.invert braucht true, false, 1 oder 0'],
  ['*.map has no such text', '*.map hat diesen Text nicht'],
  ['*.scale, offset and round require a number', '*.scale, offset und round brauchen eine Zahl'],
  ['the rule has no key or type', 'die Regel hat keinen Schlüssel oder Typ'],
  ['no rule matches the topic and payload', 'keine Regel passt zu Topic und Nachricht'],
  ['machines has no entry for the topic', 'machines hat keinen Eintrag für das Topic'],
  ['the message has more than * elements', 'die Nachricht hat mehr als * Elemente'],
  ['the machine has more than * keys', 'die Maschine hat mehr als * Schlüssel'],
  ['the connector has more than * keys', 'die Datenquelle hat mehr als * Schlüssel'],
  ['the payload has more than * bytes', 'die Nachricht hat mehr als * Bytes'],
  ['the payload is not JSON', 'die Nachricht ist kein JSON'],
  ['the line is longer than 1 MiB', 'die Zeile ist länger als 1 MiB'],
  ['the line is not {"at", "topic", "payload"}', 'die Zeile ist nicht {"at", "topic", "payload"}'],
  ['the observation has no readable time', 'die Beobachtung hat keine lesbare Zeit'],
  ['the agent does not have the device', 'der Agent hat das Gerät nicht'],
  ['the device has no machine, or the key no rule', 'das Gerät hat keine Maschine oder der Schlüssel keine Regel'],
  ['* has no match', '* findet nichts'],
  ['* has more than * characters', '* hat mehr als * Zeichen'],
]

/** The texts between the parts of each sentence, by language. */
const texts = sentences.map(([english, german]) => ({ english: english.split('*'), german: german.split('*') }))

/** Translates a problem of a connector; a sentence that is not in the list stays English. */
export function germanSourceMessage(message: string): string {
  for (const { english, german } of texts) {
    const parts = findParts(message, english)
    if (parts === null) continue
    return german
      .map((text, index) => (index === 0 ? text : germanSourceMessage(parts[index - 1] ?? '') + text))
      .join('')
  }
  return message
}

/** Returns the parts of a message between texts, each as short as possible; null: the message has other texts. */
function findParts(message: string, [first = '', ...rest]: readonly string[]): readonly string[] | null {
  if (!message.startsWith(first)) return null
  const parts: string[] = []
  let at = first.length
  for (const [index, text] of rest.entries()) {
    const isLast = index === rest.length - 1
    const end = isLast ? message.length - text.length : message.indexOf(text, at)
    if (end < at || !message.startsWith(text, end)) return null
    parts.push(message.slice(at, end))
    at = end + text.length
  }
  return at === message.length ? parts : null
}
