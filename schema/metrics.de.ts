import type { MetricName } from './metrics.ts'
import type { SumName } from './sums.ts'

/** Name and meaning of a metric. */
export interface MetricText {
  readonly title: string
  readonly meaning: string
}

/** Names and meanings of the metrics in German. */
export const metricTextsDe: Readonly<Record<MetricName, MetricText>> = {
  totalParts: text('Teile gesamt', 'Gefertigte Teile, Ausschuss eingeschlossen.'),
  goodParts: text('Gutteile', 'Gefertigte Teile ohne Ausschuss.'),
  rejectedParts: text('Ausschuss', 'Schrott und nicht konforme Teile.'),
  scrapParts: text('Schrott', 'Als Schrott verworfene Teile.'),
  nonconformParts: text('Nicht konforme Teile', 'Als nicht konform verworfene Teile.'),
  scheduledTotalParts: text(
    'Teile in geplanter Zeit',
    'Teile, die in geplanter Zeit und nicht beim Rüsten entstanden.',
  ),
  scheduledRejectedParts: text(
    'Ausschuss in geplanter Zeit',
    'In geplanter Zeit und nicht beim Rüsten verworfene Teile.',
  ),
  timeInCycle: text('Zeit im Zyklus', 'Zeit, in der ein Programm läuft.'),
  timeSpindleRotating: text('Spindelzeit', 'Zeit, in der sich eine Spindel dreht.'),
  timeInCut: text('Zeit im Schnitt', 'Zeit, in der ein Werkzeug schneidet.'),
  scheduledTimeInCycle: text('Geplante Zeit im Zyklus', 'Zeit im Zyklus, während geplant ist und nicht gerüstet wird.'),
  productionTimeInCycle: text(
    'Produktionszeit im Zyklus',
    'Zeit im Zyklus, während ein Auftragslauf in Produktion ist.',
  ),
  productionDowntime: text(
    'Stillstand in Produktion',
    'Zeit außerhalb des Zyklus, während ein Auftragslauf in Produktion ist.',
  ),
  productionTime: text('Produktionszeit', 'Zeit von Auftragsläufen in Produktion.'),
  setupTime: text('Rüstzeit', 'Zeit von Auftragsläufen beim Rüsten.'),
  scheduledTime: text('Geplante Zeit', 'Zeit, die geplant ist und in der nicht gerüstet wird.'),
  unscheduledTime: text('Nicht geplante Zeit', 'Zeit, in der weder geplant ist noch gerüstet wird.'),
  allTime: text('Gesamtzeit', 'Gesamte Zeit der Maschinen ab ihrer Inbetriebnahme, bis jetzt.'),
  nonOptionalTime: text(
    'Nicht freiwillige Zeit',
    'Gesamtzeit ohne freiwillige Schichten und, bei Maschinen mit Schichtplan, ohne die Zeit außerhalb der Schichten.',
  ),
  expectedPartTime: text('Erwartete Stückzeit', 'Die längste erwartete Zeit eines Teils unter den Auftragsläufen.'),
  idealPartTime: text('Ideale Stückzeit', 'Die längste ideale Zeit eines Teils unter den Auftragsläufen.'),
  actualPartTime: text('Tatsächliche Stückzeit', 'Geplante Zeit je Teil, das in ihr entstand.'),
  expectedSetupTime: text(
    'Erwartete Rüstzeit',
    'Erwartete Rüstzeiten der Auftragsläufe, die mit Rüsten begannen, gezählt bei ihrem Beginn.',
  ),
  downtime: text('Stillstand', 'Geplante Zeit (Rüsten eingeschlossen) außerhalb des Zyklus.'),
  plannedDowntime: text('Geplanter Stillstand', 'Stillstand beim Rüsten oder aus einem geplanten Grund.'),
  unplannedDowntime: text('Ungeplanter Stillstand', 'Stillstand, der nicht geplant ist.'),
  categorizedDowntime: text('Stillstand mit Grund', 'Stillstand beim Rüsten oder mit einem Grund.'),
  uncategorizedDowntime: text('Stillstand ohne Grund', 'Stillstand, der keinen Grund hat.'),
  scheduledIdealParts: text(
    'Ideale Teile, geplant',
    'Teile, die die geplante Zeit der Auftragsläufe bei ihren idealen Stückzeiten erlaubt.',
  ),
  inCycleIdealParts: text(
    'Ideale Teile, im Zyklus',
    'Teile, die die geplante Zeit im Zyklus der Auftragsläufe bei ihren idealen Stückzeiten erlaubt.',
  ),
  scheduledExpectedParts: text(
    'Erwartete Teile, geplant',
    'Teile, die die geplante Zeit der Auftragsläufe bei ihren erwarteten Stückzeiten erlaubt.',
  ),
  scheduledGoalParts: text(
    'Teile für das Ziel, geplant',
    'Teile, die in der geplanten Zeit von Auftragsläufen mit erwarteter Stückzeit gefertigt wurden.',
  ),
  partsGoal: text(
    'Teileziel',
    'Gefertigte Teile, geteilt durch die erwarteten Teile der Auftragsläufe mit erwarteter Stückzeit; höchstens 1.',
  ),
  availability: text('Verfügbarkeit', 'Zeit im Zyklus, geteilt durch geplante Zeit.'),
  performance: text(
    'Leistung',
    'Gefertigte Teile, geteilt durch die Teile, die bei idealen Stückzeiten in der Zeit im Zyklus möglich sind; kann über 1 liegen.',
  ),
  quality: text('Qualität', 'Anteil der Gutteile an den Teilen, die in geplanter Zeit gefertigt wurden.'),
  scrapRate: text('Ausschussrate', '1 − Qualität.'),
  oee: text('OEE', 'Verfügbarkeit × Leistung × Qualität; kein Wert ohne ideale Stückzeit.'),
  ooe: text(
    'OOE',
    'Anteil der nicht freiwilligen Zeit im Zyklus × Leistung × Qualität; kein Wert ohne ideale Stückzeit.',
  ),
  teep: text('TEEP', 'Anteil der Gesamtzeit im Zyklus × Leistung × Qualität; kein Wert ohne ideale Stückzeit.'),
  utilizationRate: text('Nutzungsgrad', 'Zeit im Zyklus, geteilt durch die Gesamtzeit.'),
  nonconformRate: text('Rate nicht konformer Teile', 'Nicht konforme Teile, geteilt durch alle Teile.'),
  idealCoverage: text(
    'Abdeckung mit idealer Stückzeit',
    'Anteil der geplanten Zeit mit einem Auftragslauf, der eine ideale Stückzeit hat. Nur dieser Teil geht in die Leistung ein.',
  ),
  averagePartsPerHour: text('Teile je Stunde', 'Gefertigte Teile je Stunde geplanter Zeit.'),
  expectedPartsPerHour: text(
    'Erwartete Teile je Stunde',
    'Erwartete Teile je Stunde geplanter Zeit mit erwarteter Stückzeit.',
  ),
  idealPartsPerHour: text(
    'Ideale Teile je Stunde',
    'Ideal gefertigte Teile je Stunde geplanter Zeit mit idealer Stückzeit.',
  ),
  partsGoalWarningThreshold: threshold('Warnung Teileziel', 'geplanter Zeit'),
  partsGoalFailureThreshold: threshold('Minimum Teileziel', 'geplanter Zeit'),
  oeeWarningThreshold: threshold('Warnung OEE', 'geplanter Zeit'),
  oeeFailureThreshold: threshold('Minimum OEE', 'geplanter Zeit'),
  utilizationWarningThreshold: threshold('Warnung Nutzungsgrad', 'der Gesamtzeit'),
  utilizationFailureThreshold: threshold('Minimum Nutzungsgrad', 'der Gesamtzeit'),
  minStartTime: text('Erster Auftragsbeginn', 'Beginn der ersten Zeit mit einem Auftragslauf.'),
  maxEndTime: text('Letztes Auftragsende', 'Ende der letzten Zeit mit einem Auftragslauf.'),
}

/** Meanings of the sums in German. */
export const sumTextsDe: Readonly<Record<SumName, string>> = {
  allMs: 'Gesamtzeit.',
  inCycleMs: 'Zeit im Zyklus.',
  spindleMs: 'Zeit, in der sich eine Spindel dreht.',
  cutMs: 'Zeit, in der ein Werkzeug schneidet.',
  setupMs: 'Zeit von Auftragsläufen beim Rüsten.',
  productionMs: 'Zeit von Auftragsläufen in Produktion.',
  productionInCycleMs: 'Zeit im Zyklus von Auftragsläufen in Produktion.',
  workedMs: 'Geplante Zeit ohne Rüsten.',
  workedInCycleMs: 'Geplante Zeit im Zyklus, ohne Rüsten.',
  nonOptionalMs:
    'Gesamtzeit ohne freiwillige Schichten und, bei Maschinen mit Schichtplan, ohne die Zeit außerhalb der Schichten.',
  nonOptionalInCycleMs: 'Nicht freiwillige Zeit im Zyklus.',
  downMs: 'Geplante Zeit (Rüsten eingeschlossen) außerhalb des Zyklus.',
  plannedDownMs: 'Stillstand beim Rüsten oder mit einem geplanten Grund.',
  uncategorizedDownMs: 'Stillstand ohne Grund.',
  goodParts: 'Gefertigte Teile ohne Ausschuss.',
  scrapParts: 'Als Schrott verworfene Teile.',
  nonconformParts: 'Als nicht konform verworfene Teile.',
  workedTotalParts: 'In geplanter Zeit gefertigte Teile.',
  workedRejectedParts: 'In geplanter Zeit verworfene Teile.',
  idealWorkedMs: 'Geplante Zeit von Auftragsläufen mit idealer Stückzeit.',
  idealWorkedParts: 'Geplante Zeit von Auftragsläufen, geteilt durch ihre idealen Stückzeiten.',
  idealInCycleParts: 'Geplante Zeit im Zyklus von Auftragsläufen, geteilt durch ihre idealen Stückzeiten.',
  idealActualParts: 'In geplanter Zeit gefertigte Teile von Auftragsläufen mit idealer Stückzeit.',
  idealPartMs: 'Die längste ideale Stückzeit der Auftragsläufe in diesem Zeitraum.',
  expectedWorkedMs: 'Geplante Zeit von Auftragsläufen mit erwarteter Stückzeit.',
  expectedWorkedParts: 'Geplante Zeit von Auftragsläufen, geteilt durch ihre erwarteten Stückzeiten.',
  expectedActualParts: 'In geplanter Zeit gefertigte Teile von Auftragsläufen mit erwarteter Stückzeit.',
  expectedPartMs: 'Die längste erwartete Stückzeit der Auftragsläufe in diesem Zeitraum.',
  expectedSetupMs: 'Erwartete Rüstzeiten der Auftragsläufe, die mit Rüsten begannen.',
  firstRunMs: 'Beginn der ersten Zeit mit einem Auftragslauf.',
  lastRunMs: 'Ende der letzten Zeit mit einem Auftragslauf.',
  oeeWarningWeight: 'Geplante Zeit mal der geltenden Schwelle.',
  oeeFailureWeight: 'Geplante Zeit mal der geltenden Schwelle.',
  partsGoalWarningWeight: 'Geplante Zeit mal der geltenden Schwelle.',
  partsGoalFailureWeight: 'Geplante Zeit mal der geltenden Schwelle.',
  utilizationWarningWeight: 'Gesamtzeit mal der geltenden Schwelle.',
  utilizationFailureWeight: 'Gesamtzeit mal der geltenden Schwelle.',
}

function text(title: string, meaning: string): MetricText {
  return { title, meaning }
}

function threshold(title: string, weight: string): MetricText {
  return text(
    title,
    `Die Schwelle des Arbeitsgangs, sonst der Maschine, sonst der Firma; gewichtet gemittelt nach ${weight}.`,
  )
}
