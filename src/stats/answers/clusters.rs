//! Which questions belong together: those of a cluster, by its name.

use std::collections::HashMap;

use crate::facts::AnswerFacts;

/// The clusters of questions. A question that some debates count to a cluster and others do not, since a key was corrected, joins the
/// two: to take what belongs together for independent would make intervals too narrow.
pub(in crate::stats) struct Clusters<'c> {
    nodes: HashMap<Node<'c>, usize>,
    parents: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node<'c> {
    Question(&'c str),
    Cluster(&'c str),
}

impl<'c> Clusters<'c> {
    pub(in crate::stats) fn new(answers: impl Iterator<Item = &'c AnswerFacts>) -> Self {
        let mut clusters = Self { nodes: HashMap::new(), parents: Vec::new() };
        for answer in answers {
            let question = clusters.node(Node::Question(&answer.question));
            if let Some(cluster) = &answer.cluster {
                let cluster = clusters.node(Node::Cluster(cluster));
                let [one, other] = [question, cluster].map(|node| clusters.root(node));
                clusters.parents[one] = other;
            }
        }
        clusters
    }

    fn node(&mut self, node: Node<'c>) -> usize {
        let next = self.parents.len();
        let found = *self.nodes.entry(node).or_insert(next);
        if found == next {
            self.parents.push(next);
        }
        found
    }

    fn root(&self, mut node: usize) -> usize {
        while self.parents[node] != node {
            node = self.parents[node];
        }
        node
    }

    /// The number of an answer's cluster.
    pub(in crate::stats) fn of(&self, answer: &AnswerFacts) -> usize {
        let node = self.nodes.get(&Node::Question(&answer.question));
        node.map_or(0, |node| self.root(*node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::AnswerStatus;

    fn answer(question: &str, cluster: Option<&str>) -> AnswerFacts {
        AnswerFacts {
            arm: "debate".into(),
            question: question.into(),
            cluster: cluster.map(Into::into),
            choices: 0,
            status: AnswerStatus::Valid,
            correct: true,
            ratio: None,
            within: None,
            record: "".into(),
            tokens: 0,
            prefixes: Box::default(),
            matched: Box::default(),
        }
    }

    #[test]
    fn c4_a_question_that_was_graded_anew_stays_in_its_cluster() {
        let all = [
            answer("q1", Some("a")),
            answer("q1", None),
            answer("q2", Some("a")),
            answer("q3", None),
            answer("q3", Some("b")),
        ];
        let clusters = Clusters::new(all.iter());
        let numbers: Vec<usize> = all.iter().map(|one| clusters.of(one)).collect();
        assert!(numbers[..3].iter().all(|n| *n == numbers[0]), "{numbers:?}");
        assert!(numbers[3..].iter().all(|n| *n == numbers[3]), "{numbers:?}");
        assert_ne!(numbers[0], numbers[3]);
    }
}
