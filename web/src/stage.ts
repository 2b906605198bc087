/** What plays on the page: one search, or the searches of a race, with their maps, controls and clock. */

import { type Clock, WALKS, type Walk } from "./clock.ts";
import { Controls } from "./controls.ts";
import { Lanes } from "./lanes.ts";
import { themeOf } from "./outside.ts";
import { Race } from "./race.ts";
import type { Contents } from "./read.ts";
import { Replay } from "./replay.ts";
import { View } from "./view.ts";
import type { Words } from "./words.ts";

export interface Stage {
  searches: readonly [Contents, ...Contents[]];
  replay: Clock;
  race: Race | null;
  controls: Controls;
  views: readonly [View, ...View[]];
  /** Draw what has changed; return whether anything had. */
  frame(now: number): boolean;
  dispose(): void;
}

/** Put searches of one page side by side into an element; `asked` is what its address asks for. */
export function stageOf(
  searches: readonly [Contents, ...Contents[]],
  words: Words,
  asked: URLSearchParams,
  put: (root: HTMLElement) => void,
): Stage {
  const [page] = searches;
  const { heading } = page;
  const race = searches.length > 1 ? new Race(searches) : null;
  const replay = race ?? new Replay(page);
  const lanes = race && new Lanes(searches, race, words);
  const controls = new Controls(page, replay, words, lanes);
  controls.root.classList.toggle("racing", race !== null);
  put(controls.root);
  const theme = themeOf(heading, asked);
  const places = lanes?.all ?? [controls.frame];
  const views = searches.map(
    (search, index) => new View(search, places[index]!.roads, places[index]!.marks, theme, asked.get("draw")),
  ) as [View, ...View[]];
  controls.attach(views, searches);
  lanes?.attach(views);
  replay.changed = () => {
    views.forEach((view, index) => {
      const lane = race ? (race.lanes[index] as Replay) : replay;
      view.show({ step: lane.position, tree: controls.tree });
    });
    controls.follow();
  };
  replay.ended = () => controls.setTree(true);
  controls.setTheme(theme);
  const walk = asked.get("walk") ?? heading.walk;
  if (WALKS.includes(walk as Walk)) replay.walk = walk as Walk;
  const speed = Number(asked.get("speed"));
  if (speed > 0) replay.setSpeed(speed);
  replay.loop = asked.has("loop");
  return {
    searches,
    replay,
    race,
    controls,
    views,
    frame: (now) => views.map((view) => view.frame(now)).includes(true),
    dispose: () => controls.dispose(),
  };
}
